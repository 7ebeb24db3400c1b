(* What must hold of a text before anything is decided: tables of numbers, maps that fit, steps of their form. *)
open Text

exception Outside of string   (* not refused, but not known either *)
let need is what = if not is then raise (Unreadable ("expected " ^ what))

(* --- polynomials over atoms, by place, in normal form: factors in order, equal products added up --- *)
exception Large
let times_ a b = let c = a * b in if a <> 0 && (c / a <> b || abs a > 1 lsl 60 || abs b > 1 lsl 60) then raise Large else c
let plus_ a b = if abs a > 1 lsl 60 || abs b > 1 lsl 60 then raise Large else a + b
let normal terms =
  let rec go = function
    | (x, a) :: (y, b) :: r when x = y -> go ((x, plus_ a b) :: r)
    | (_, 0) :: r -> go r
    | one :: r -> one :: go r
    | [] -> [] in
  let out = go (List.sort compare terms) in
  if List.length out > 64 then raise Large else out
let product p q = normal (List.concat_map (fun (x, a) -> List.map (fun (y, b) -> (List.merge compare x y, times_ a b)) q) p)
let power_of p = List.fold_left (fun acc q -> product acc q) [ ([], 1) ] p

(* --- the table of numbers: equal polynomials are one number; those without atoms are constants --- *)
(* Behind the table stand 0, 1, and the bytes of elements: no text can name them, by -1, -2, ... they are meant. *)
type numbers = { given : int; place : int array; bad : bool array; indexed : bool array;
                 polys : (int list * int) list array;
                 named : (int, int) Hashtbl.t  (* of a value: how it is meant *) }
(* A number of the text in normal form: factors are atoms, in order of their places, products in lexicographic order of these. *)
let rec rising = function x :: (y :: _ as r) -> x <= y && rising r | _ -> true
let normal_form all = function
  | Sum [ (1, [ _ ]) ] -> false
  | Sum ts ->
    let atom j = match all.(j) with Bad | Sum _ -> false | _ -> true in
    let products = List.map snd ts in
    List.for_all (fun (v, xs) -> v <> 0 && rising xs && List.for_all atom xs) ts && rising products
    && List.length (List.sort_uniq compare products) = List.length ts
  | _ -> true
let numbers_of (c : certificate) =
  let more = List.sort_uniq compare (0 :: 1 :: List.rev_append (List.rev_map (fun (f : view_form) -> f.lanes) c.view_forms)
                                     (List.rev_map (fun f -> f.bytes) c.storage_forms)) in
  let given = List.length c.numbers in
  let n = given + List.length more in
  let place = Array.init n Fun.id and bad = Array.make n false and indexed = Array.make n false in
  let named = Hashtbl.create 7 and seen = Hashtbl.create 997 and equal = Hashtbl.create 997 in
  let polys = Array.init n (fun k -> [ ([ k ], 1) ]) in
  let all = Array.append (Array.of_list c.numbers) (Array.of_list (List.map (fun v -> Sum (if v = 0 then [] else [ (v, []) ])) more)) in
  Array.iteri (fun k x ->
    let at j = need (j < k) "an earlier number"; if indexed.(j) then indexed.(k) <- true; place.(j) in
    let x = match x with
      | Func (f, xs) -> Func (f, List.map at xs)
      | Index (p, e) -> let e = at e in indexed.(k) <- true; Index (p, e)
      | Quotient (p, d) -> let p = at p in Quotient (p, at d)
      | Sum ts -> Sum (List.map (fun (v, xs) -> (v, List.map at xs)) ts)
      | other -> other in
    need (k >= given || normal_form all all.(k)) "a number in normal form";
    (match x, Hashtbl.find_opt seen x with
     | Bad, _ -> bad.(k) <- true
     | _, Some first -> place.(k) <- first
     | _, None -> Hashtbl.add seen x k);
    let first = place.(k) in
    if first = k then polys.(k) <- (match x with
      | Sum ts -> (try normal (List.concat_map (fun (v, xs) -> product [ ([], v) ] (power_of (List.map (fun j -> polys.(j)) xs))) ts)
                   with Large -> [ ([ k ], 1) ])
      | _ -> [ ([ k ], 1) ])
    else polys.(k) <- polys.(first);
    (match Hashtbl.find_opt equal polys.(k) with
     | Some first when not bad.(k) -> place.(k) <- first
     | _ -> Hashtbl.replace equal polys.(k) k);
    need (k >= given || (place.(k) = k && not (bad.(k) && Hashtbl.mem seen x))) "a number in normal form, not one of those before";
    if bad.(k) then Hashtbl.replace seen x k;
    if k >= given then Hashtbl.replace named (List.nth more (k - given)) (given - 1 - k)) all;
  { given; place; bad; indexed; named; polys }
(* The place of a number; it may be one that was not computed where nothing is done with it. *)
let place_of ns k =
  need (k < ns.given) "a number of the table";
  let k = if k < 0 then ns.given - 1 - k else k in
  need (not ns.indexed.(k)) "numbers without an index";
  (k, ns.place.(k))
let place ns k =
  let k, out = place_of ns k in
  if ns.bad.(k) then raise (Outside "a number that was not computed");
  out
let same ns xs ys = List.length xs = List.length ys && List.for_all2 (fun x y -> place ns x = place ns y) xs ys

(* How many elements, as a polynomial. *)
let count ns xs = try power_of (List.map (fun k -> ns.polys.(place ns k)) xs) with Large -> raise (Outside "groups whose counts are too large")
let rec drop n xs = if n = 0 then xs else match xs with [] -> [] | _ :: r -> drop (n - 1) r
let rec first n xs = if n = 0 then [] else match xs with [] -> [] | x :: r -> x :: first (n - 1) r

let groups_fit ns from dest groups =
  let ranks = (List.length from, List.length dest) in
  let step (a, b) (p, q) =
    need (p >= a && q >= b && p <= fst ranks && q <= snd ranks) "groups in order";
    let one xs lo hi = count ns (first (hi - lo) (drop lo xs)) in
    if (p, q) <> ranks && one from a p <> one dest b q then raise (Outside "groups whose counts are not told");
    (p, q) in
  need (List.fold_left step (0, 0) groups = ranks) "groups of all dimensions"
let map_fits ns = function
  | Reshape m -> groups_fit ns m.from m.dest m.groups
  | Affine m ->
    let inside (t, f, _) = t < List.length m.dest && f < List.length m.from in
    need (List.for_all inside m.factors) "dimensions of the map"

(* The byte of an element is an ordinary last index: maps leave what is behind their rank as it is. *)
let bytes_behind ns lanes shape = if lanes = 0 then shape else shape @ [ Hashtbl.find ns.named lanes ]
let from_dest = function Affine m -> (m.from, m.dest) | Reshape m -> (m.from, m.dest)
let with_rest ns space m =
  let from, dest = from_dest m in
  let f = List.length from and t = List.length dest in
  if not (same ns from (first f space)) then raise (Outside "maps that are not seen to fit");
  let rest = drop f space and zero = Hashtbl.find ns.named 0 and one = Hashtbl.find ns.named 1 in
  (dest @ rest, match m with
   | Affine a -> Affine { from = a.from @ rest; dest = a.dest @ rest; start = a.start @ List.map (fun _ -> zero) rest;
                          factors = a.factors @ List.mapi (fun j _ -> (t + j, f + j, one)) rest }
   | Reshape r -> Reshape { from = r.from @ rest; dest = r.dest @ rest;
                            groups = r.groups @ List.mapi (fun j _ -> (f + j + 1, t + j + 1)) rest })
(* The maps of a view of a storage, with what stands behind them; they lead from the one to the other. *)
let maps_from ns extents bytes (f : view_form) =
  List.iter (map_fits ns) f.maps;
  need ((bytes > 0) = (f.lanes > 0)) "bytes in both";
  let go (space, done_) m = let space, m = with_rest ns space m in (space, m :: done_) in
  let space, maps = List.fold_left go (bytes_behind ns bytes extents, []) f.maps in
  if not (same ns space (bytes_behind ns f.lanes f.shape)) then raise (Outside "maps that are not seen to fit");
  List.rev maps

(* --- steps and Traces --- *)
let step_form (f : step_form) =
  let opaque = f.kind = 2 and row r = List.length r = f.writes && List.for_all (fun a -> a <= 2) r in
  need (f.kind <= 2 && List.length f.access = f.reads && List.for_all row f.access
        && (opaque || ((not f.each) && f.reads = (if f.kind = 0 then 1 else 0)))
        && (f.writes = 1 || (opaque && not f.each))) "a step of this form"
let step ns (views : view_form array) (forms : step_form array) last k (s : step) =
  let f = forms.(s.step_form) in
  let shape (v : view) = need (v.form < Array.length views) "a form of the table"; views.(v.form).shape in
  need (s.origin >= last && s.origin < 1 lsl 20) "steps of one origin together";
  need (s.means = [] || List.length s.means = f.reads) "a time for each read";
  need (List.for_all (fun m -> m <= k) s.means) "a time before";
  if f.kind < 2 || f.each then begin
    let written = shape (List.nth s.views f.reads) in
    if not (List.for_all (fun v -> same ns (shape v) written) (first f.reads s.views)) then
      raise (Outside "reads that are not seen to have the shape of the write")
  end;
  s.origin
let trace ns (c : certificate) (t : trace) =
  let views = Array.of_list c.view_forms and forms = Array.of_list c.step_forms and storages = Array.of_list c.storage_forms in
  let who (form, key) = need (form < Array.length storages) "a form of the table"; (storages.(form).start, key) in
  let known = Hashtbl.create (List.length t.storages) in
  List.iter (fun s -> let one = who s in need (not (Hashtbl.mem known one)) "other storages"; Hashtbl.add known one ()) t.storages;
  List.iter (fun (f : storage_form) -> need (f.start <= 2) "a start") c.storage_forms;
  let _ = List.fold_left (fun (k, last) s -> (k + 1, step ns views forms last k s)) (0, 0) t.steps in
  let n = List.length t.steps in
  List.iter (fun (o : output) ->
    List.iter (fun k -> ignore (place_of ns k)) o.strides;
    need (match o.meant with Some m -> m <= n | None -> true) "a time before";
    need ((not o.known) || (match o.shows with Some v -> v.form < Array.length views
      && List.length views.(v.form).shape = List.length o.strides | None -> false)) "the output's strides") t.outputs;
  List.iter (fun (x, y) -> need (x >= 0 && y < 1 lsl 20) "a graph step") t.edges;
  List.iter (fun p -> match p.holds with
    | Some (s, _) -> need (s < List.length t.storages) "a storage of the trace"
    | None -> ()) t.placements
(* What the theorem says of sharing with the caller it says of inputs: an output lies on no other storage of his. *)
let outputs_seen (c : certificate) (t : trace) =
  let storages = Array.of_list c.storage_forms and spaces = Array.of_list t.storages in
  let shown = Hashtbl.create (List.length t.inputs) in
  List.iter (fun (_, (v : view)) -> Hashtbl.replace shown v.storage ()) t.inputs;
  List.iter (fun (o : output) -> match o.shows with
    | Some v when v.storage < Array.length spaces && storages.(fst spaces.(v.storage)).start = 0 && not (Hashtbl.mem shown v.storage) ->
      raise (Outside "an output on a storage of the caller's that no input shows")
    | _ -> ()) t.outputs
let lemma (l : lemma) =
  need (l.what <= 3 && (l.what <> 0 || l.b = 0) && ((l.what <> 0 && l.what <> 3) || l.d = 0) && ((l.what = 2) <> (l.order = [])))
    "0 where a lemma uses nothing"
let each_another all = need (List.compare_lengths (List.sort_uniq compare all) all = 0) "another form"
(* Whatever the tables name stands in the table of numbers; no entry stands there twice. *)
let tables ns (c : certificate) =
  List.iter (fun d -> List.iter (fun l -> need (l.rule <= 7) "a smaller kind") d.lines) c.evidence;
  each_another c.view_forms; each_another c.storage_forms; each_another c.step_forms;
  let known = List.iter (fun k -> ignore (place_of ns k)) in
  let map = function
    | Reshape m -> known m.from; known m.dest
    | Affine m -> known m.from; known m.dest; known m.start; known (List.map (fun (_, _, by) -> by) m.factors) in
  known c.facts;
  List.iter (fun (f : view_form) -> known f.shape; List.iter map f.maps) c.view_forms;
  List.iter (fun f -> known f.extents) c.storage_forms;
  List.iter step_form c.step_forms
(* Both graphs know the same storages at entry, and compare the same of them at exit. *)
let frame ns (c : certificate) before after =
  let storages = Array.of_list c.storage_forms in
  let known (form, key) =
    let f = storages.(form) in
    if f.start = 1 then begin
      if f.compared then raise (Outside "a fresh storage that is compared at exit");
      None
    end else Some (f.start, key, List.map (place ns) f.extents, f.bytes, f.compared) in
  let all (t : trace) = List.sort compare (List.filter_map known t.storages) in
  if all before <> all after then raise (Outside "other inputs")
let check ns c (one : check) =
  Option.iter (trace ns c) one.before;
  trace ns c one.after;
  List.iter (fun o -> need (o.about <= 14) "a smaller kind") one.claimed;
  let _ = List.fold_left (fun last l -> need (last <> Some l) "another lemma"; Some l) None one.lemmas in
  Option.iter (fun before -> frame ns c before one.after; outputs_seen c before; outputs_seen c one.after) one.before;
  List.iter lemma one.lemmas
