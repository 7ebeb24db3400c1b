(* Refutations: what the checker asks of a run of [after] that no run of [before] explains ([breaks], Bodies.v). Nothing in here has
   to be believed. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Maps Follow Points Contents PointsRight Sharing Progress Bodies BodiesRight.
Import ListNotations.

(* --- operators that tell what they were given --- *)
Inductive val :=
| VInit (start key : N) (c : list Z)
| VFill (key ty : N)
| VEach (key : N) (kd : kind) (ty : N) (tys : list N) (args : list val)
| VOp (key : N) (outs : list (N * list Z)) (ins : list (N * list Z * list val)) (slot : nat) (i : list Z).
Definition free : ops val := Ops val VOp VEach VFill.
Inductive head :=
| HInit (start key : N) (c : list Z)
| HFill (key ty : N)
| HEach (key : N) (kd : kind) (ty : N) (tys : list N)
| HOp (key : N) (outs ins : list (N * list Z)) (slot : nat) (i : list Z).
Definition head_dec : forall x y : head, {x = y} + {x <> y}.
Proof.
  assert (T : forall x y : list (N * list Z), {x = y} + {x <> y}) by (apply list_eq_dec; decide equality; [apply cells_dec | apply N.eq_dec]).
  decide equality; try apply cells_dec; try apply N.eq_dec; try apply T; try apply kind_dec; try apply nums_dec; try apply Nat.eq_dec.
Defined.
Definition vhead (v : val) : head :=
  match v with
  | VInit s k c => HInit s k c
  | VFill k t => HFill k t
  | VEach key kd ty tys _ => HEach key kd ty tys
  | VOp key outs ins slot i => HOp key outs (map fst ins) slot i
  end.
Definition part (v : val) (j pos : nat) : option val :=
  match v with
  | VEach _ _ _ _ args => nth_error args j
  | VOp _ _ ins _ _ => match nth_error ins j with Some (_, vs) => nth_error vs pos | None => None end
  | _ => None
  end.

Section Ask.
Variable cval : knows.
Definition sizes_of (v : view) : N * list Z := (v_ty v, map (nvc cval) (v_sh v)).
(* how what a step stores begins *)
Definition head_stored (p : step) (slot : nat) (i : list Z) : option head :=
  match nth_error (s_writes p) slot with
  | None => None
  | Some w =>
    match s_kind p with
    | Fill => Some (HFill (s_key p) (v_ty w))
    | Move => match s_reads p with
              | r :: _ => if N.eqb (v_ty r) (v_ty w) then None else Some (HEach 0 Move (v_ty w) [v_ty r])
              | [] => None
              end
    | Opaque => if s_elem p then Some (HEach (s_key p) Opaque (v_ty w) (map v_ty (s_reads p)))
                else Some (HOp (s_key p) (map sizes_of (s_writes p)) (map sizes_of (s_reads p)) slot i)
    end
  end.
(* of what is there at entry, too: what nobody wrote is told by the one side alone *)
Definition head_at (t : trace) (ix : index) (undefined_too : bool) (x : point) : option head :=
  match x with
  | P s time c =>
    match prev ix s time, get s (t_st t) with
    | Some None, Some st => guard (undefined_too || negb (N.eqb (st_start st) undefined)) (Some (HInit (st_start st) (st_key st) c))
    | _, _ => None
    end
  | PS k slot i => match get k (t_steps t) with Some p => head_stored p slot i | None => None end
  end.
Definition whole (h : head) : bool := match h with HOp _ _ _ _ _ => true | _ => false end.
(* operand j of what was stored there, of a whole one its element e *)
Definition operand_at (t : trace) (h : head) (x : point) (j : nat) (e : list Z) : option point :=
  match x with
  | P _ _ _ => None
  | PS k _ i =>
    match get k (t_steps t) with
    | None => None
    | Some p =>
      match nth_error (s_reads p) j with
      | None => None
      | Some r => guard (forallb (known_map cval) (v_maps r) && match s_kind p with Move => Nat.eqb j 0 | Fill => false | Opaque => true end
                           && (negb (whole h) || inside (map (nvc cval) (v_sh r)) e))
                        (Some (from_read cval r k (if whole h then e else i)))
      end
    end
  end.
Variables (b a : trace) (ib ia : index) (pb pa : points) (fuel : nat).
Fixpoint differ (path : list (nat * list Z)) (x y : point) : bool :=
  let x' := point_origin cval b ib (PM.empty _) pb fuel x in let y' := point_origin cval a ia (PM.empty _) pa fuel y in
  match head_at b ib false x', head_at a ia true y' with
  | Some h, Some h' =>
    negb (is (head_dec h h')) ||
    match path with
    | [] => false
    | (j, e) :: r => match operand_at b h x' j e, operand_at a h y' j e with Some u, Some v => differ r u v | _, _ => false end
    end
  | _, _ => false
  end.
(* every view stays in its storage *)
Fixpoint lands_chk (space : list num) (ms : list imap) (i : list Z) : bool :=
  forallb (known cval) space && inside (map (nvc cval) space) (at_root cval ms i)
  && match ms with [] => true | m :: r => lands_chk (to_of m) r i end.
Definition view_inside (t : trace) (v : view) : bool :=
  told_view cval v && forallb (lands_chk (shape_of t (v_st v)) (v_maps v)) (elements_of cval (v_sh v)).
Definition all_inside (t : trace) : bool :=
  forallb (fun k => match get (N.of_nat k) (t_steps t) with Some s => forallb (view_inside t) (s_reads s ++ s_writes s) | None => false end)
          (seq 0 (N.to_nat (t_n t)))
  && forallb (fun o => match o_view o with Some v => view_inside t v | None => true end) (t_out t).

Inductive broken := Value (k : nat) (i : list Z) (path : list (nat * list Z)) | Exit (s : N) (i : list Z) (path : list (nat * list Z)) | Heads
| Store (k : N) | Disturbs (k : N) (w : nat) (r : option nat) (i j : list Z)
| SharesInput (back : bool) (k x : nat) (i j : list Z) | SharesOutput (back : bool) (k l : nat) (i j : list Z).
Definition element_of (v : view) (i : list Z) : bool := inside (map (nvc cval) (v_sh v)) i.
Definition one_cell (v : view) (i : list Z) (w : view) (j : list Z) : bool :=
  N.eqb (v_st v) (v_st w) && is (cells_dec (at_root cval (v_maps v) i) (at_root cval (v_maps w) j)).
Definition stores_wrong (t : trace) (k : N) : bool :=
  match get k (t_steps t) with
  | Some s => N.ltb k (t_n t) && existsb (fun w => match get (v_st w) (t_st t) with Some x => negb (st_wr x) | None => false end) (s_writes s)
  | None => false
  end.
Definition disturbs (s : step) (slot : nat) (read : option nat) (i j : list Z) : bool :=
  match nth_error (s_writes s) slot, read with
  | Some w, None => element_of w i && element_of w j && negb (is (cells_dec i j)) && one_cell w i w j
  | Some w, Some q =>
    match nth_error (s_reads s) q with
    | Some r =>
      element_of w i && element_of r j && one_cell r j w i
      && match accessed s q slot with
         | BeforeWrite => false
         | AnyTime => true
         | ElementWise => negb (N.eqb (v_st r) (v_st w) && is (nums_dec (v_sh r) (v_sh w)) && is (maps_dec (v_maps r) (v_maps w)))
         end
    | None => false
    end
  | None, _ => false
  end.
(* an output of [after] and an input, or two outputs, that are one place where they were not: all of [before] that could be meant differs *)
Definition shares_input (may : list (N * N)) (b a : trace) (k x : nat) (i j : list Z) : bool :=
  match nth_error (t_out a) k, nth_error (t_in a) x with
  | Some o, Some (name, u) =>
    match o_view o with
    | Some w =>
      negb (allowed may (N.of_nat k) (N.of_nat x)) && element_of w i && element_of u j && one_cell w i u j
      && match nth_error (t_out b) k with
         | Some o' => match o_view o' with
                      | Some v => forallb (fun q => negb (N.eqb (fst q) name) || negb (one_cell v i (snd q) j)) (t_in b)
                      | None => true
                      end
         | None => true
         end
    | None => false
    end
  | _, _ => false
  end.
Definition shares_output (may : list (N * N)) (b a : trace) (k l : nat) (i j : list Z) : bool :=
  match nth_error (t_out a) k, nth_error (t_out a) l with
  | Some o, Some p =>
    match o_view o, o_view p with
    | Some w, Some x =>
      negb (anew may (N.of_nat k)) && negb (anew may (N.of_nat l)) && element_of w i && element_of x j && one_cell w i x j
      && match nth_error (t_out b) k, nth_error (t_out b) l with
         | Some o', Some p' => match o_view o', o_view p' with Some v, Some y => negb (one_cell v i y j) | _, _ => true end
         | _, _ => true
         end
    | _, _ => false
    end
  | _, _ => false
  end.
Definition end_point (v : view) (n : N) (i : list Z) : point := P (v_st v) n (at_root cval (v_maps v) i).
Definition is_broken (c : boundary) (x : broken) : bool :=
  match x with
  | Value k i path =>
    match nth_error (t_out b) k, nth_error (t_out a) k with
    | Some o, Some p =>
      match o_view o, o_view p with
      | Some v, Some w => told_view cval v && told_view cval w && inside (map (nvc cval) (v_sh v)) i
                          && differ path (end_point v (t_n b) i) (end_point w (t_n a) i)
      | _, _ => false
      end
    | _, _ => false
    end
  | Exit s i path =>
    match get s (t_st a) with
    | Some y => st_cmp y && N.ltb s (t_nst a) && negb (N.eqb (st_start y) undefined) && forallb (known cval) (st_sh y)
                && inside (map (nvc cval) (st_sh y)) i
                && forallb (fun p => negb (N.eqb (st_start (snd p)) (st_start y) && N.eqb (st_key (snd p)) (st_key y))
                                     || differ path (P (fst p) (t_n b) i) (P s (t_n a) i)) (all_storages b)
    | None => false
    end
  | Heads =>
    negb (Nat.eqb (length (t_out b)) (length (t_out a)))
    || existsb (fun q => negb (N.eqb (o_scalar (fst q)) (o_scalar (snd q))) ||
         match o_view (fst q), o_view (snd q) with
         | Some v, Some w => negb (N.eqb (v_ty v) (v_ty w)) || negb (is (cells_dec (map (nvc cval) (v_sh v)) (map (nvc cval) (v_sh w))))
         | None, None => false
         | _, _ => true
         end) (combine (t_out b) (t_out a))
  | Store k => stores_wrong a k
  | Disturbs k w r i j => match get k (t_steps a) with Some s => N.ltb k (t_n a) && disturbs s w r i j | None => false end
  | SharesInput back k x i j =>
    if back then negb (b_shrink c) && shares_input (b_may c) a b k x i j else negb (b_grow c) && shares_input (b_may c) b a k x i j
  | SharesOutput back k l i j =>
    if back then negb (b_shrink c) && shares_output (b_may c) a b k l i j else negb (b_grow c) && shares_output (b_may c) b a k l i j
  end.
End Ask.
(* sizes as the table says *)
Definition holds (t : numbers) (nv : num -> Z) : bool :=
  forallb (fun p => Z.eqb (nv (fst p)) (sum_value nv (snd p))) (PM.pick (fun _ => true) (n_sum t))
  && forallb (fun p => Z.leb (snd p) (nv (fst p))) (PM.pick (fun _ => true) (n_low t))
  && forallb (fun p => Z.leb (nv (fst p)) (snd p)) (PM.pick (fun _ => true) (n_high t)).
Definition refutes (table : numbers) (values : PM.t Z) (c : boundary) (b a : trace) (x : broken) (fuel : nat) : bool :=
  let cval := knows_of (only_constants values) in
  holds table (nvc cval) && all_inside cval b && all_inside cval a
  && is_broken cval b a (index_of b) (index_of a) (points_of cval b) (points_of cval a) fuel c x.
