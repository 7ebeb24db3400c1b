(* Contents followed back element by element, where all sizes are small constants. Nothing in here has to be believed. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Follow.
Import ListNotations.

Section Points.
Variable cval : knows.
Definition known (k : num) : bool := match cval k with Some _ => true | None => false end.
Definition nvc (k : num) : Z := match cval k with Some z => z | None => 0%Z end.
Definition known_map (m : imap) : bool :=
  match m with
  | Aff _ _ start fs => forallb known start && forallb (fun f => known (snd f)) fs
  | Resh from to _ => forallb known from && forallb known to
  end.
Definition at_root (ms : list imap) (i : list Z) : list Z := root nvc ms i.
Definition size_of (sh : list num) : Z := fold_right (fun e n => nvc e * n)%Z 1%Z sh.
Definition most_elements : Z := 65536.
Definition small (sh : list num) : bool := forallb known sh && Z.leb (size_of sh) most_elements.
Definition elements_of (sh : list num) : list (list Z) := box (map nvc sh).
Definition told_view (v : view) : bool := small (v_sh v) && forallb known_map (v_maps v).

(* --- where the elements of a view lie, by a number made of the place; others may have the same number --- *)
Definition place_key (c : list Z) : positive := Z.to_pos (fold_left (fun p x => p * 8191 + x)%Z c 1%Z).
Definition places := PM.t (list (list Z)).
Definition bucket (m : places) (k : positive) : list (list Z) := match PM.find k m with Some l => l | None => [] end.
Definition enter (ms : list imap) (m : places) (i : list Z) : places :=
  let k := place_key (at_root ms i) in PM.add k (i :: bucket m k) m.
Definition places_in (v : view) : places := fold_left (enter (v_maps v)) (elements_of (v_sh v)) (PM.empty _).
Definition cells_dec := list_eq_dec Z.eq_dec.
Definition lookup (m : places) (ms : list imap) (c : list Z) : option (list Z) :=
  find (fun i => is (cells_dec (at_root ms i) c)) (bucket m (place_key c)).
Fixpoint distinct (m : places) (l : list (list Z)) : bool :=
  match l with
  | [] => true
  | c :: r => let k := place_key c in
              negb (existsb (fun d => is (cells_dec c d)) (bucket m k)) && distinct (PM.add k (c :: bucket m k) m) r
  end.

(* --- steps that do not disturb themselves --- *)
Definition injective_chk (w : view) : bool := distinct (PM.empty _) (map (at_root (v_maps w)) (elements_of (v_sh w))).
Definition apart_each (v w : view) : bool :=
  negb (N.eqb (v_st v) (v_st w)) ||
  let m := places_in w in
  forallb (fun i => match lookup m (v_maps w) (at_root (v_maps v) i) with Some _ => false | None => true end)
          (elements_of (v_sh v)).
Definition clean_each (s : step) : bool :=
  let ws := combine (seq 0 (length (s_writes s))) (s_writes s) in
  let rs := combine (seq 0 (length (s_reads s))) (s_reads s) in
  forallb told_view (s_reads s ++ s_writes s) && forallb injective_chk (s_writes s)
  && forallb (fun p => forallb (fun q => Nat.eqb (fst p) (fst q) || apart_each (snd p) (snd q)) ws) ws
  && forallb (fun p => forallb (fun q =>
        let r := snd p in let w := snd q in
        match accessed s (fst p) (fst q) with
        | BeforeWrite => true
        | ElementWise => (N.eqb (v_st r) (v_st w) && is (nums_dec (v_sh r) (v_sh w)) && is (maps_dec (v_maps r) (v_maps w)))
                         || apart_each r w
        | AnyTime => apart_each r w
        end) ws) rs.
Definition cleans (t : trace) (s : step) : bool := clean_chk cval t s || clean_each s.

(* --- one element, followed back: a place in a storage, or what a step stores --- *)
Inductive point := P (s t : N) (c : list Z) | PS (k : N) (slot : nat) (i : list Z).
Record points := Pts { p_tables : PM.t (list (option places)); p_clean : PM.t bool }.
Definition table_of (w : view) : option places := if told_view w then Some (places_in w) else None.
Definition points_of (t : trace) : points :=
  Pts (PM.map (fun s => map table_of (s_writes s)) (t_steps t)) (PM.map (cleans t) (t_steps t)).
(* None: it is not known whether one of the writes puts it there *)
Fixpoint hit (ws : list view) (ts : list (option places)) (slot : nat) (s : N) (c : list Z) : option (option (nat * list Z)) :=
  match ws, ts with
  | [], _ => Some None
  | w :: r, m :: ms =>
    if N.eqb (v_st w) s then
      match m with
      | None => None
      | Some m => match lookup m (v_maps w) c with Some i => Some (Some (slot, i)) | None => hit r ms (S slot) s c end
      end
    else hit r ms (S slot) s c
  | _ :: _, [] => None
  end.
Definition from_read (r : view) (k : N) (i : list Z) : point := P (v_st r) k (at_root (v_maps r) i).
Definition point_source (st : step) (k : N) (slot : nat) (i : list Z) : point :=
  match s_kind st, s_reads st, nth_error (s_writes st) slot with
  | Move, r :: _, Some w => if N.eqb (v_ty r) (v_ty w) && forallb known_map (v_maps r) then from_read r k i else PS k slot i
  | _, _, _ => PS k slot i
  end.
Definition point_of (x : content) (i : list Z) : point :=
  match x with C s t ch => P s t (at_root ch i) | St k slot ch => PS k slot (at_root ch i) end.
Definition chain_of (x : content) : list imap := match x with C _ _ ch => ch | St _ _ ch => ch end.
Definition point_back (t : trace) (ix : index) (sm : simple) (ps : points) (x : point) : option point :=
  match x with
  | PS k _ i => match kept sm k with Some y => guard (forallb known_map (chain_of y)) (Some (point_of y i)) | None => None end
  | P s time c =>
    match prev ix s time with
    | None | Some None => None
    | Some (Some k) =>
      match get k (t_steps t), get k (p_tables ps) with
      | Some st, Some ts =>
        match hit (s_writes st) ts 0 s c with
        | None => None
        | Some None => Some (P s k c)
        | Some (Some (slot, i)) => match get k (p_clean ps) with Some true => Some (point_source st k slot i) | _ => None end
        end
      | _, _ => None
      end
    end
  end.
Fixpoint point_walk (t : trace) (ix : index) (sm : simple) (ps : points) (fuel : nat) (test : point -> bool) (x : point) : bool :=
  test x || match fuel with
            | O => false
            | S f => match point_back t ix sm ps x with Some y => point_walk t ix sm ps f test y | None => false end
            end.
Fixpoint point_origin (t : trace) (ix : index) (sm : simple) (ps : points) (fuel : nat) (x : point) : point :=
  match fuel with
  | O => x
  | S f => match point_back t ix sm ps x with Some y => point_origin t ix sm ps f y | None => x end
  end.

Fixpoint inside (sh c : list Z) : bool :=
  match sh, c with
  | [], [] => true
  | e :: r, x :: d => Z.leb 0 x && Z.ltb x e && inside r d
  | _, _ => false
  end.
Variables (fresh : bool) (b a : trace) (ib ia : index) (fuel : nat).
Definition point_meets (f : facts) (x y : point) : bool :=
  match x, y with
  | P s t c, P s' t' c' =>
    match version ib s t, version ia s' t' with
    | Some v, Some v' => existsb (fun e => N.eqb (fst e) s' && N.eqb (snd e) v') (list2 (f_same f) s v) && is (cells_dec c c')
                         && forallb known (shape_of b s) && inside (map nvc (shape_of b s)) c
    | _, _ => false
    end
  | _, _ => false
  end.
Definition point_told (f : facts) (x : point) : bool :=
  match x with
  | P s t _ => match version ib s t with Some v => match at2 (f_same f) s v with Some _ => true | None => false end | None => false end
  | _ => false
  end.
Definition point_alike (eq : point -> point -> bool) (f : facts) (x y : point) : bool :=
  match x, y with
  | P s t c, P s' t' c' =>
    match prev ib s t, prev ia s' t', get s (t_st b), get s' (t_st a) with
    | Some None, Some None, Some p, Some q =>
      N.eqb (st_start p) (st_start q) && N.eqb (st_key p) (st_key q)
      && (negb (N.eqb (st_start p) undefined) || (fresh && is (nums_dec (st_sh p) (st_sh q)))) && is (cells_dec c c')
    | _, _, _, _ => false
    end
  | PS k slot i, PS k' slot' i' =>
    match get k (t_steps b), get k' (t_steps a) with
    | Some p, Some q =>
      (existsb (N.eqb k') (entries (f_call f) k) && Nat.eqb slot slot' && is (cells_dec i i'))
      || (each_wise p && one_op one_elem p q && Nat.eqb slot slot'
          && all2 (fun r r' => forallb known_map (v_maps r) && forallb known_map (v_maps r') && eq (from_read r k i) (from_read r' k' i'))
                  (s_reads p) (s_reads q))
    | _, _ => false
    end
  | _, _ => false
  end.
Fixpoint point_equal (pb pa : points) (n : nat) (f : facts) (x y : point) : bool :=
  match n with
  | O => false
  | S n' =>
    point_walk b ib (f_before f) pb fuel (fun c => point_told f c && point_walk a ia (f_after f) pa fuel (point_meets f c) y) x
    || point_alike (point_equal pb pa n' f) f (point_origin b ib (f_before f) pb fuel x) (point_origin a ia (f_after f) pa fuel y)
  end.
Definition each_point (ps : option (points * points)) (n : nat) (f : facts) (sh : list num) (x y : content) : bool :=
  match ps with
  | None => false
  | Some (pb, pa) =>
    small sh && forallb known_map (chain_of x) && forallb known_map (chain_of y)
    && forallb (fun i => point_equal pb pa n f (point_of x i) (point_of y i)) (elements_of sh)
  end.
End Points.
