(* A program of OCaml that crashes in C. CHAIN: see faults.c.
// CHAIN ocaml: crash_here innermost between main
*)
external crash_here : int -> int = "crash_here"
let[@inline never] innermost n = if n > 0 then crash_here n + 1 else 0
let[@inline never] between n = innermost (n + 1) + 2
let () = if Array.length Sys.argv > 1 then print_int (between 1)
