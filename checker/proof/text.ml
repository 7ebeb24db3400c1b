(* The text of a certificate (docs/certificate.md), as values, and back. What was read is printed again and compared,
   byte by byte, so that nothing of a text is skipped or taken for something else. *)
exception Unreadable of string

type number = Bad | Symbol of string | Func of string * int list | Index of int * int | Quotient of int * int | Sum of (int * int list) list
type map = Affine of { from : int list; dest : int list; start : int list; factors : (int * int * int) list }
         | Reshape of { from : int list; dest : int list; groups : (int * int) list }
type view_form = { ty : string; lanes : int; shape : int list; maps : map list }
type storage_form = { start : int; extents : int list; bytes : int; writable : bool; compared : bool }
type step_form = { kind : int; key : string; each : bool; reads : int; writes : int; access : int list list; bodies : string list }
type line = { rule : int; la : int; lb : int; lc : int; poly : int; by : int }
type derivation = { hypotheses : int list; lines : line list }
type view = { form : int; storage : int }
type step = { step_form : int; origin : int; views : view list; means : int list }
type output = { shows : view option; scalar : string; strides : int list; known : bool; meant : int option }
type placement = { name : string; arena : int; offset : int; size : int; first : int; last : int;
                   holds : (int * int list) option; below : int option }
type trace = { storages : (int * string) list; inputs : (string * view) list; steps : step list; outputs : output list;
               claims : (int * string * int * int) list; unknown : (string * string) list; any_order : bool;
               edges : (int * int) list; arenas : int list; placements : placement list }
type obligation = { about : int; of_before : bool; oa : int; ob : int }
type lemma = { what : int; a : int; b : int; c : int; d : int; order : int list; row : string option }
type check = { called : string; before : trace option; after : trace; compare_strides : bool; grow : bool; shrink : bool;
               may_share : (int * int) list; claimed : obligation list; lemmas : lemma list }
type refutation = { broken : obligation; index : int list; other : int list; path : (int * int list) list; turn : int list }
type symbol = { called_so : string; least : string option; most : string option; value : string }
type certificate = { subject : string; sources : (string * string) list; operators : string; assumptions : string list;
                     symbols : symbol list; numbers : number list; facts : int list; view_forms : view_form list;
                     storage_forms : storage_form list; step_forms : step_form list; evidence : derivation list;
                     checks : check list; refutation : refutation option; sum : string }

(* --- words --- *)
let text = ref "" and at = ref 0
let fail what = raise (Unreadable (Printf.sprintf "byte %d: expected %s" !at what))
let blank c = c = ' ' || c = '\n'
let skip () = while !at < String.length !text && blank !text.[!at] do incr at done
let word () =
  skip ();
  let from = !at in
  while !at < String.length !text && not (blank !text.[!at]) do incr at done;
  if !at = from then fail "a word" else String.sub !text from (!at - from)
(* digits without a zero before them, and what ends them *)
let digits_to ends what =
  skip ();
  let from = !at and n = ref 0 in
  while !at < String.length !text && !text.[!at] >= '0' && !text.[!at] <= '9' do
    if !n >= max_int / 10 then fail "a number of at most 62 bits";
    n := (10 * !n) + Char.code !text.[!at] - 48; incr at
  done;
  if !at = from || (!text.[from] = '0' && !at > from + 1) || (!at < String.length !text && not (ends !text.[!at])) then fail what;
  !n
let natural () = digits_to blank "a number"
let integer () =
  skip ();
  if !at < String.length !text && !text.[!at] = '-' then begin
    incr at;
    if !at < String.length !text && blank !text.[!at] then fail "a digit";
    let n = natural () in if n = 0 then fail "0 without a sign" else -n
  end else natural ()
(* a number that nothing is computed with: ranges of symbols have 64 bits *)
let decimal () =
  let w = word () in
  let digits = if w.[0] = '-' then String.sub w 1 (String.length w - 1) else w in
  if w <> "0" && (digits = "" || digits.[0] = '0' || not (String.for_all (fun c -> c >= '0' && c <= '9') digits)) then fail "a number" else w
let flag () = match integer () with 0 -> false | 1 -> true | _ -> fail "0 or 1"
let quoted () =
  let n = digits_to (fun c -> c = ':') "a text" in
  if n >= String.length !text - !at then fail "a text";
  at := !at + 1 + n; String.sub !text (!at - n) n
let expect w = if word () <> w then fail w
let list f = let n = natural () in
  if n > String.length !text then fail "a list" else
  let rec go n acc = if n = 0 then List.rev acc else go (n - 1) (f () :: acc) in go n []
let maybe f = if flag () then Some (f ()) else None
let times n f = let rec go n acc = if n = 0 then List.rev acc else go (n - 1) (f () :: acc) in go n []
let two f g = let x = f () in let y = g () in (x, y)

(* --- reading: fields in the order in which they stand --- *)
let nats () = list natural
let places () = list (fun () -> two natural natural)
let read_number () = match word () with
  | "bad" -> Bad
  | "s" -> Symbol (quoted ())
  | "f" -> let n = quoted () in Func (n, nats ())
  | "i" -> let p = natural () in Index (p, natural ())
  | "q" -> let p = natural () in Quotient (p, natural ())
  | "p" -> Sum (list (fun () -> two integer nats))
  | _ -> fail "a number"
let read_map () =
  let reshape = flag () in let from = nats () in let dest = nats () in
  if reshape then Reshape { from; dest; groups = places () } else
  let start = times (List.length from) natural in
  Affine { from; dest; start; factors = list (fun () -> let t = natural () in let f = natural () in (t, f, natural ())) }
let read_view_form () =
  let ty = quoted () in let lanes = natural () in let shape = nats () in { ty; lanes; shape; maps = list read_map }
let read_storage_form () =
  let start = natural () in let extents = nats () in let bytes = natural () in let writable = flag () in
  { start; extents; bytes; writable; compared = flag () }
let read_step_form () =
  let kind = natural () in let key = quoted () in let each = flag () in let reads = natural () in let writes = natural () in
  let access = list nats in { kind; key; each; reads; writes; access; bodies = list quoted }
let read_line () =
  let rule = natural () in let la = natural () in let lb = natural () in let lc = natural () in let poly = natural () in
  { rule; la; lb; lc; poly; by = natural () }
let read_derivation () = let hypotheses = nats () in { hypotheses; lines = list read_line }
let read_view () = let form = natural () in { form; storage = natural () }
let no_conditions () = if natural () <> 0 then fail "no conditions"
let read_step forms () =
  let step_form = natural () in
  let origin = natural () in
  if step_form >= Array.length forms then fail "a form of the table";
  let views = times (forms.(step_form).reads + forms.(step_form).writes) read_view in
  let means = nats () in no_conditions (); { step_form; origin; views; means }
let read_output () =
  let shows = maybe read_view in let scalar = quoted () in let strides = nats () in let known = flag () in
  { shows; scalar; strides; known; meant = maybe natural }
let read_placement () =
  let name = quoted () in let arena = natural () in let offset = natural () in let size = natural () in
  let first = natural () in let last = natural () in let holds = maybe (fun () -> two natural nats) in
  { name; arena; offset; size; first; last; holds; below = maybe natural }
let read_trace forms () =
  let storages = list (fun () -> two natural quoted) in let inputs = list (fun () -> two quoted read_view) in
  no_conditions ();
  let steps = list (read_step forms) in let outputs = list read_output in
  let claims = list (fun () -> let o = natural () in let w = quoted () in let s = natural () in (o, w, s, natural ())) in
  let unknown = list (fun () -> two quoted quoted) in let any_order = flag () in let edges = places () in
  let arenas = nats () in
  { storages; inputs; steps; outputs; claims; unknown; any_order; edges; arenas; placements = list read_placement }
let read_obligation () =
  let about = natural () in let of_before = flag () in let oa = natural () in { about; of_before; oa; ob = natural () }
let read_lemma () =
  let what = natural () in let a = natural () in let b = natural () in let c = natural () in let d = natural () in
  let order = nats () in { what; a; b; c; d; order; row = (if what = 3 then Some (quoted ()) else None) }
let read_check forms () =
  let called = quoted () in let before = maybe (read_trace forms) in let after = read_trace forms () in
  let compare_strides = flag () in let grow = flag () in let shrink = flag () in let may_share = places () in
  let claimed = list read_obligation in
  { called; before; after; compare_strides; grow; shrink; may_share; claimed; lemmas = list read_lemma }
let read_refutation () =
  let element () = list integer in
  let broken = read_obligation () in let index = element () in let other = element () in
  let path = list (fun () -> two natural element) in { broken; index; other; path; turn = nats () }
let read_symbol () =
  let called_so = quoted () in let least = maybe decimal in let most = maybe decimal in
  { called_so; least; most; value = decimal () }

(* The sum of all that stands before it, against accidents: 64 bits. *)
let sum_of s n =
  let total = ref (Int64.of_int n) in
  let byte k = if k < n then Int64.of_int (Char.code s.[k]) else 0L in
  for w = 0 to (n + 7) / 8 - 1 do
    let part = ref 0L in
    for k = 7 downto 0 do part := Int64.logor (Int64.shift_left !part 8) (byte ((8 * w) + k)) done;
    total := Int64.mul (Int64.logxor !total !part) 0x9e3779b97f4a7c15L;
    total := Int64.logxor !total (Int64.shift_right_logical !total 29)
  done;
  Printf.sprintf "%016Lx" !total
let read_all () =
  if String.starts_with ~prefix:"noclobber.cert/1" !text then
    raise (Unreadable "a text of noclobber.cert/1, which is no longer read: write it again as noclobber.cert/2");
  expect "noclobber.cert/2"; expect "about"; let subject = quoted () in
  expect "inputs"; let sources = list (fun () -> two quoted quoted) in
  expect "operators"; let operators = quoted () in
  expect "assumptions"; let assumptions = list quoted in
  expect "symbols"; let symbols = list read_symbol in
  expect "numbers"; let numbers = list read_number in
  expect "facts"; let facts = nats () in
  expect "views"; let view_forms = list read_view_form in
  expect "storages"; let storage_forms = list read_storage_form in
  expect "steps"; let step_forms = list read_step_form in
  expect "evidence"; let evidence = list read_derivation in
  expect "checks"; let checks = list (read_check (Array.of_list step_forms)) in
  expect "refutation"; let refutation = maybe read_refutation in
  expect "sum"; let until = !at - 3 in let sum = word () in
  if sum <> sum_of !text until then fail "the sum of what stands before";
  skip (); if !at < String.length !text then fail "the end";
  { subject; sources; operators; assumptions; symbols; numbers; facts; view_forms; storage_forms; step_forms; evidence;
    checks; refutation; sum }

(* --- printing --- *)
let out = Buffer.create 65536
let line s = Buffer.add_char out '\n'; Buffer.add_string out s   (* a word at the beginning of a line *)
let w s = Buffer.add_char out ' '; Buffer.add_string out s
let rec digits k = if k >= 10 then digits (k / 10); Buffer.add_char out (Char.chr (48 + (k mod 10)))
let i k = Buffer.add_char out ' '; if k < 0 then Buffer.add_char out '-'; digits (abs k)
let f b = i (if b then 1 else 0)
let t s = i (String.length s); Buffer.add_char out ':'; Buffer.add_string out s
let l p xs = i (List.length xs); List.iter p xs
let table p xs = i (List.length xs); List.iter (fun x -> line ""; p x) xs   (* an entry a line *)
let o p = function None -> i 0 | Some x -> i 1; p x
let is xs = l i xs
let pairs xs = l (fun (x, y) -> i x; i y) xs
let print_number = function
  | Bad -> line "bad"
  | Symbol n -> line "s"; t n
  | Func (n, xs) -> line "f"; t n; is xs
  | Index (p, e) -> line "i"; i p; i e
  | Quotient (p, d) -> line "q"; i p; i d
  | Sum ts -> line "p"; l (fun (c, xs) -> i c; is xs) ts
let print_map = function
  | Reshape m -> i 1; is m.from; is m.dest; pairs m.groups
  | Affine m -> i 0; is m.from; is m.dest; List.iter i m.start; l (fun (x, y, z) -> i x; i y; i z) m.factors
let print_view v = i v.form; i v.storage
let print_step s = i s.step_form; i s.origin; List.iter print_view s.views; is s.means; i 0
let print_output x = o print_view x.shows; t x.scalar; is x.strides; f x.known; o i x.meant
let print_placement p =
  t p.name; i p.arena; i p.offset; i p.size; i p.first; i p.last; o (fun (s, xs) -> i s; is xs) p.holds; o i p.below
let print_trace x =
  table (fun (k, s) -> i k; t s) x.storages; l (fun (n, v) -> t n; print_view v) x.inputs; i 0; table print_step x.steps;
  l print_output x.outputs; l (fun (a, s, b, c) -> i a; t s; i b; i c) x.claims; l (fun (a, b) -> t a; t b) x.unknown;
  f x.any_order; pairs x.edges; is x.arenas; table print_placement x.placements
let print_obligation x = i x.about; f x.of_before; i x.oa; i x.ob
let print_lemma x = i x.what; i x.a; i x.b; i x.c; i x.d; is x.order; (match x.row with None -> () | Some r -> t r)
let print_check x =
  t x.called; o print_trace x.before; print_trace x.after; f x.compare_strides; f x.grow; f x.shrink; pairs x.may_share;
  l print_obligation x.claimed; l print_lemma x.lemmas
let print_refutation x =
  print_obligation x.broken; is x.index; is x.other; l (fun (k, e) -> i k; is e) x.path; is x.turn
let print_forms x =
  line "views"; table (fun v -> t v.ty; i v.lanes; is v.shape; l print_map v.maps) x.view_forms;
  line "storages"; table (fun s -> i s.start; is s.extents; i s.bytes; f s.writable; f s.compared) x.storage_forms;
  line "steps"; table (fun s -> i s.kind; t s.key; f s.each; i s.reads; i s.writes; l is s.access; l t s.bodies) x.step_forms;
  line "evidence"; table (fun d -> is d.hypotheses; l (fun r -> i r.rule; i r.la; i r.lb; i r.lc; i r.poly; i r.by) d.lines) x.evidence
let print_all x =
  Buffer.add_string out "noclobber.cert/2"; line "about"; t x.subject; line "inputs"; l (fun (a, b) -> t a; t b) x.sources; line "operators"; t x.operators;
  line "assumptions"; l t x.assumptions; line "symbols"; table (fun s -> t s.called_so; o w s.least; o w s.most; w s.value) x.symbols;
  line "numbers"; l print_number x.numbers; line "facts"; is x.facts; print_forms x; line "checks"; l print_check x.checks;
  line "refutation"; o print_refutation x.refutation; line "sum"; w x.sum; line ""

let read file_text =
  text := file_text; at := 0; Buffer.clear out;
  let c = read_all () in
  print_all c;
  if Buffer.contents out <> !text then raise (Unreadable "what was read is not what stands there");
  c
