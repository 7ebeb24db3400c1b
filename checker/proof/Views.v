(* What the checker asks of views and steps, and who wrote what last. Nothing in here has to be believed. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly.
Import ListNotations.

(* --- decidable equality of forms --- *)
Definition nums_dec := list_eq_dec N.eq_dec.
Definition pair_dec : forall x y : N * N, {x = y} + {x <> y}.
Proof. decide equality; apply N.eq_dec. Defined.
Definition triple_dec : forall x y : N * N * N, {x = y} + {x <> y}.
Proof. decide equality; [apply N.eq_dec | apply pair_dec]. Defined.
Definition imap_dec : forall x y : imap, {x = y} + {x <> y}.
Proof.
  decide equality; try apply nums_dec; try (apply list_eq_dec; apply triple_dec);
  apply list_eq_dec; apply pair_dec.
Defined.
Definition maps_dec := list_eq_dec imap_dec.
Definition kind_dec : forall x y : kind, {x = y} + {x <> y}.
Proof. decide equality. Defined.
Definition acc_dec : forall x y : access, {x = y} + {x <> y}.
Proof. decide equality. Defined.
Definition is {A B} (d : {A} + {B}) : bool := if d then true else false.

Definition guard {A} (c : bool) (x : option A) : option A := if c then x else None.
Fixpoint all2 {A B} (f : A -> B -> bool) (l : list A) (m : list B) : bool :=
  match l, m with
  | [], [] => true
  | x :: l', y :: m' => f x y && all2 f l' m'
  | _, _ => false
  end.

(* --- the latest writer of a storage before a time: noted for what a step touches, when it begins --- *)
Definition entries {A} (m : PM.t (list A)) (k : N) : list A := match get k m with Some l => l | None => [] end.
Definition put {A} (m : PM.t (list A)) (k : N) (x : A) : PM.t (list A) := PM.add (N.succ_pos k) (x :: entries m k) m.
Definition all_steps (t : trace) : list (N * step) :=
  rev_append (snd (N.iter (t_n t) (fun p => (N.succ (fst p), match get (fst p) (t_steps t) with
    Some s => (fst p, s) :: snd p | None => snd p end)) (0%N, []))) [].
Definition notes := PM.t (list (N * option N)).
(* the latest writer of each storage at the end, what is noted when each step begins, and the steps *)
Record index := Index { ix_end : N; ix_last : PM.t N; ix_at : notes; ix_steps : PM.t step }.
Fixpoint assoc (s : N) (l : list (N * option N)) : option (option N) :=
  match l with [] => None | (x, v) :: r => if N.eqb x s then Some v else assoc s r end.
(* Some None: nobody wrote before; None: not noted *)
Definition prev (ix : index) (s t : N) : option (option N) :=
  if N.eqb t 0 then Some None else if N.eqb t (ix_end ix) then Some (get s (ix_last ix)) else
  match assoc s (entries (ix_at ix) t) with
  | Some v => Some v
  | None =>
    match get (N.pred t) (ix_steps ix) with
    | Some st => if existsb (fun w => N.eqb (v_st w) s) (s_writes st) then Some (Some (N.pred t)) else None
    | None => None
    end
  end.
Definition version (ix : index) (s t : N) : option N :=
  match prev ix s t with Some (Some k) => Some (N.succ k) | Some None => Some 0%N | None => None end.
Definition add_step (t : trace) (k : N) (p : PM.t N * notes) : PM.t N * notes :=
  match get k (t_steps t) with
  | Some st =>
    let cur := fst p in
    (fold_left (fun c s => PM.add (N.succ_pos s) k c) (map v_st (s_writes st)) cur,
     PM.add (N.succ_pos k) (map (fun v => (v_st v, get (v_st v) cur)) (s_reads st ++ s_writes st)) (snd p))
  | None => p
  end.
Definition iterate (t : trace) (n : N) : N * (PM.t N * notes) :=
  N.iter n (fun p => (N.succ (fst p), add_step t (fst p) (snd p))) (0%N, (PM.empty _, PM.empty _)).
Definition index_of (t : trace) : index :=
  let p := snd (iterate t (t_n t)) in Index (t_n t) (fst p) (snd p) (t_steps t).

Section Numbers.
Variable cval : knows.     (* what is known of numbers *)

(* --- injective views --- *)
Definition from_of (f : N * N * num) : N := snd (fst f).
Definition tells (fs : list (N * N * num)) (t : N) : bool :=
  existsb (fun f => N.eqb (fst (fst f)) t
                    && match cval (snd f) with Some b => negb (Z.eqb b 0) | None => above_0 cval (snd f) end) fs.
Fixpoint told (fs : list (N * N * num)) (to : list num) (t : N) : bool :=
  match to with
  | [] => true
  | e :: r => (tells fs t || match cval e with Some x => Z.eqb x 1 | None => false end) && told fs r (N.succ t)
  end.
Fixpoint nodup (l : list N) : bool :=
  match l with [] => true | x :: r => negb (existsb (N.eqb x) r) && nodup r end.
Fixpoint groups_fit (from to : nat) (gs : list (N * N)) (la lb : N) : bool :=
  match gs with
  | [] => Nat.eqb to 0
  | (a, b) :: r =>
    let na := N.to_nat (a - la) in let nb := N.to_nat (b - lb) in
    Nat.leb na from && Nat.leb nb to && (Nat.ltb 0 na || Nat.eqb nb 0) && groups_fit (from - na) (to - nb) r a b
  end.
Definition inj_map (m : imap) : bool :=
  match m with
  | Aff from to start fs =>
    nodup (map from_of fs) && told fs to 0 && forallb (fun f => N.ltb (from_of f) (N.of_nat (length start))) fs
  | Resh from to gs => groups_fit (length from) (length to) gs 0 0
  end.
Fixpoint ends (space : list num) (ms : list imap) : list num :=
  match ms with [] => space | m :: r => ends (to_of m) r end.

(* --- views that are apart: constant bounds of one dimension --- *)
Fixpoint sum_bounds (fs : list (N * N * num)) (to : list num) (d : N) : option (Z * Z) :=
  match fs with
  | [] => Some (0, 0)%Z
  | (t, fr, b) :: r =>
    match sum_bounds r to d with
    | None => None
    | Some (lo, hi) =>
      if N.eqb fr d then
        match cval b, nth_error to (N.to_nat t) with
        | Some x, Some e =>
          match cval e with
          | Some n => Some (lo + Z.min 0 (x * (n - 1)), hi + Z.max 0 (x * (n - 1)))%Z
          | None => None
          end
        | _, _ => None
        end
      else Some (lo, hi)
    end
  end.
Definition bounds (ms : list imap) (d : N) : option (Z * Z) :=
  match ms with
  | Aff from to start fs :: _ =>
    match nth_error start (N.to_nat d), sum_bounds fs to d with
    | Some s, Some (lo, hi) => match cval s with Some x => Some (x + lo, x + hi)%Z | None => None end
    | _, _ => None
    end
  | _ => None
  end.
(* the same where sizes are no constants *)
Fixpoint sum_span (fs : list (N * N * num)) (to : list num) (d : N) : option (sums * sums) :=
  match fs with
  | [] => Some ([], [])
  | (t, fr, b) :: r =>
    match sum_span r to d with
    | None => None
    | Some (lo, hi) =>
      if N.eqb fr d then
        match nth_error to (N.to_nat t) with
        | Some e =>
          let part := times_ (k_sum cval b) (minus_ (k_sum cval e) (constant 1)) in
          if at_most cval [] (k_sum cval b) then Some (lo, plus_ part hi)
          else if at_most cval (k_sum cval b) [] then Some (plus_ part lo, hi) else None
        | None => None
        end
      else Some (lo, hi)
    end
  end.
Definition span (ms : list imap) (d : N) : option (sums * sums) :=
  match ms with
  | Aff from to start fs :: _ =>
    match nth_error start (N.to_nat d), sum_span fs to d with
    | Some s, Some (lo, hi) => Some (plus_ (k_sum cval s) lo, plus_ (k_sum cval s) hi)
    | _, _ => None
    end
  | _ => None
  end.
Definition less (p q : sums) : bool := at_most cval (plus_ (constant 1) p) q.
Definition dim_apart (x y : list imap) (d : N) : bool :=
  match bounds x d, bounds y d with
  | Some (l, h), Some (l', h') => Z.ltb h l' || Z.ltb h' l
  | _, _ => match span x d, span y d with Some (l, h), Some (l', h') => less h l' || less h' l | _, _ => false end
  end.
Definition is_empty (sh : list num) : bool :=
  existsb (fun e => match cval e with Some x => Z.eqb x 0 | None => false end) sh.
Definition maps_apart (space : list num) (x y : list imap) : bool :=
  existsb (dim_apart x y) (map N.of_nat (seq 0 (length space))).
Definition apart_chk (t : trace) (v w : view) : bool :=
  negb (N.eqb (v_st v) (v_st w)) || is_empty (v_sh v) || is_empty (v_sh w)
  || (maps_apart (shape_of t (v_st v)) (v_maps v) (v_maps w)).

Definition fits_chk (t : trace) (v : view) : bool :=
  is (nums_dec (ends (shape_of t (v_st v)) (v_maps v)) (v_sh v)).
Definition clean_chk (t : trace) (s : step) : bool :=
  let ws := combine (seq 0 (length (s_writes s))) (s_writes s) in
  let rs := combine (seq 0 (length (s_reads s))) (s_reads s) in
  forallb (fun w => forallb inj_map (v_maps w) && fits_chk t w) (s_writes s)
  && forallb (fun p => forallb (fun q => Nat.eqb (fst p) (fst q) || apart_chk t (snd p) (snd q)) ws) ws
  && forallb (fun p => forallb (fun q =>
        let r := snd p in let w := snd q in
        match accessed s (fst p) (fst q) with
        | BeforeWrite => true
        | ElementWise => (N.eqb (v_st r) (v_st w) && is (nums_dec (v_sh r) (v_sh w)) && is (maps_dec (v_maps r) (v_maps w)))
                         || apart_chk t r w
        | AnyTime => apart_chk t r w
        end) ws) rs.
End Numbers.
