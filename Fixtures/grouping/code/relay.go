// A relay with ten bugs, one for each name: relay BUG.
// Lines that begin with //+N are part of version N and later, with //-N of those before N; `make-version` makes one of them.
package main

import (
	"errors"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
)

//+2 // padding is of no use to any bug: it moves what follows.
//+2 func padding(value int) int {
//+2 	for step := 0; step < 7; step++ {
//+2 		value = value*31 + step
//+2 	}
//+2 	return value
//+2 }

// require is what many bugs have in common: where conditions are checked.
func require(condition bool, what string) {
	//+2 sink += padding(len(what))
	if !condition {
		panic(errors.New("not so: " + what))
	}
}

var sink int

type Packet struct {
	size int
	next *Packet
}

type Queue struct {
	packets []*Packet
	lock    sync.Mutex
}

func (queue *Queue) Take(index int) int {
	return queue.packets[index].size + 1
}

//+3 func (queue *Queue) Len() int { return len(queue.packets) }

func (queue *Queue) Sizes() int {
	sum := 0
	for _, packet := range queue.packets {
		sum += packet.next.size
	}
	return sum
}

func (queue *Queue) Close() {
	queue.lock.Lock()
	defer queue.lock.Unlock()
	require(len(queue.packets) == 0, "the queue is empty")
	sink++
}

func (queue *Queue) Drain() {
	queue.lock.Lock()
	defer queue.lock.Unlock()
	require(len(queue.packets) > 9, "there is enough to drain")
	sink++
}

func (queue *Queue) Sort() {
	sort.Slice(queue.packets, func(left, right int) bool {
		return queue.packets[left].next.size < queue.packets[right].next.size
	})
}

type Number interface{ ~int | ~int64 }

func share[T Number](sum T, parts []T) T {
	for _, part := range parts {
		sum += sum / part
	}
	return sum
}

type Wire interface{ Send(int) int }
type Copper struct{ length int }
type Glass struct{ colour string }

func (copper *Copper) Send(size int) int { return size * copper.length }
func (glass *Glass) Send(size int) int   { return len(glass.colour) * size }

func colour(wire Wire) int {
	glass := wire.(*Glass)
	return len(glass.colour)
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return value
}

type Routes map[string]int

func (routes Routes) Add(name string) { routes[name] = len(name) }

func background(work func() int) int {
	results := make(chan int)
	go func() {
		results <- work()
	}()
	return <-results
}

type Dispatcher struct{ handlers map[string]func() int }

//+3 func (dispatcher *Dispatcher) timed(handler func() int) int {
//+3 	result := handler()
//+3 	return padding(result)
//+3 }

func (dispatcher *Dispatcher) Dispatch(name string) int {
	handler, found := dispatcher.handlers[name]
	if !found {
		os.Exit(64)
	}
	//-3 result := handler()
	//+3 result := dispatcher.timed(handler)
	return result + sink
}

func queue() *Queue {
	return &Queue{packets: []*Packet{{size: 1}, {size: 2}}}
}

func (dispatcher *Dispatcher) add() {
	dispatcher.handlers["index"] = func() int { return queue().Take(7 + sink) }
	dispatcher.handlers["null-next"] = func() int { return queue().Sizes() }
	dispatcher.handlers["require-close"] = func() int { queue().Close(); return 1 }
	dispatcher.handlers["require-drain"] = func() int { queue().Drain(); return 1 }
	dispatcher.handlers["sort-null"] = func() int { queue().Sort(); return 1 }
	dispatcher.handlers["divide"] = func() int { return share(5, []int{1, sink}) }
	dispatcher.handlers["assert-type"] = func() int { return colour(&Copper{1 + sink}) }
	dispatcher.handlers["parse"] = func() int { return number("x") }
	dispatcher.handlers["null-map"] = func() int { Routes(nil).Add("north"); return 1 }
	dispatcher.handlers["background"] = func() int {
		return background(func() int { return len(strconv.Itoa(10 / sink)) })
	}
}

//+2 func greet(name string) {
//+2 	if sink > 99 {
//+2 		fmt.Println(name, "begins")
//+2 	}
//+2 }

func main() {
	if len(os.Args) != 2 {
		os.Exit(64)
	}
	dispatcher := &Dispatcher{map[string]func() int{}}
	dispatcher.add()
	//+2 greet(os.Args[1])
	fmt.Println(dispatcher.Dispatch(os.Args[1]))
}
