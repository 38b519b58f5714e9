package queue

// Pop takes the first of the values.
func Pop(values []int) int { return values[0] }
