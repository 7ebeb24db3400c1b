(* Contents followed back, from the latest write to where that had it from, as chains of maps: for all sizes.
   Nothing in here has to be believed. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Views.
Import ListNotations.

Section Numbers.
Variable cval : num -> option Z.     (* numbers that are constants *)
Notation maps_apart := (maps_apart cval).
Notation clean_chk := (clean_chk cval).

(* --- contents, followed back --- *)
Inductive content := C (s t : N) (ch : list imap) | St (k : N) (slot : nat) (ch : list imap).
Fixpoint strip (p l : list imap) : option (list imap) :=
  match p, l with
  | [], _ => Some l
  | x :: p', y :: l' => if imap_dec x y then strip p' l' else None
  | _, [] => None
  end.
(* what write number [slot] of step [k] puts at what [ch] leads to *)
Definition source (st : step) (k : N) (slot : nat) (ch : list imap) : content :=
  match s_kind st, s_reads st, nth_error (s_writes st) slot with
  | Move, r :: _, Some w =>
    if N.eqb (v_ty r) (v_ty w) && is (nums_dec (v_sh r) (v_sh w)) then C (v_st r) k (v_maps r ++ ch) else St k slot ch
  | _, _, _ => St k slot ch
  end.
Fixpoint find_hit (t : trace) (ws : list view) (slot : nat) (s : N) (ch : list imap) : option (nat * list imap) :=
  match ws with
  | [] => None
  | w :: r =>
    if N.eqb (v_st w) s && fits_chk t w then
      match strip (v_maps w) ch with Some rest => Some (slot, rest) | None => find_hit t r (S slot) s ch end
    else find_hit t r (S slot) s ch
  end.
Definition back (t : trace) (ix : index) (x : content) : option content :=
  match x with
  | St _ _ _ => None
  | C s time ch =>
    match prev ix s time with
    | None | Some None => None
    | Some (Some k) =>
      match get k (t_steps t) with
      | None => None
      | Some st =>
        match find_hit t (s_writes st) 0 s ch with
        | Some (slot, rest) => guard (clean_chk t st) (Some (source st k slot rest))
        | None => guard (forallb (fun w => negb (N.eqb (v_st w) s) || maps_apart (shape_of t s) (v_maps w) ch)
                                 (s_writes st)) (Some (C s k ch))
        end
      end
    end
  end.
(* is there one on the way back that passes? *)
Fixpoint walk (t : trace) (ix : index) (fuel : nat) (test : content -> bool) (x : content) : bool :=
  test x || match fuel with
            | O => false
            | S f => match back t ix x with Some y => walk t ix f test y | None => false end
            end.
Fixpoint origin (t : trace) (ix : index) (fuel : nat) (x : content) : content :=
  match fuel with
  | O => x
  | S f => match back t ix x with Some y => origin t ix f y | None => x end
  end.

(* --- lemmas so far --- *)
Definition at2 {A} (m : PM.t (PM.t A)) (j k : N) : option A := match get j m with Some r => get k r | None => None end.
Definition add2 {A} (m : PM.t (PM.t A)) (j k : N) (x : A) : PM.t (PM.t A) :=
  PM.add (N.succ_pos j) (PM.add (N.succ_pos k) x (match get j m with Some r => r | None => PM.empty A end)) m.
Definition list2 {A} (m : PM.t (PM.t (list A))) (j k : N) : list A := match at2 m j k with Some l => l | None => [] end.
Record facts := Facts { f_same : PM.t (PM.t (list (N * N)));  (* storage, version of before: storage, version of after *)
                        f_call : PM.t (list N) }.           (* step of before: steps of after *)

Variables (fresh : bool) (b a : trace) (ib ia : index) (fuel : nat).

Definition meets (f : facts) (x y : content) : bool :=
  match x, y with
  | C s t ch, C s' t' ch' =>
    match version ib s t, version ia s' t' with
    | Some v, Some v' => existsb (fun e => N.eqb (fst e) s' && N.eqb (snd e) v') (list2 (f_same f) s v) && is (maps_dec ch ch')
    | _, _ => false
    end
  | _, _ => false
  end.
Definition told_of (f : facts) (x : content) : bool :=
  match x with
  | C s t _ => match version ib s t with Some v => match at2 (f_same f) s v with Some _ => true | None => false end | None => false end
  | _ => false
  end.
Definition one_type (v w : view) : bool := N.eqb (v_ty v) (v_ty w) && is (nums_dec (v_sh v) (v_sh w)).
Definition one_elem (v w : view) : bool := N.eqb (v_ty v) (v_ty w).
Definition one_op (same : view -> view -> bool) (x y : step) : bool :=
  is (kind_dec (s_kind x) (s_kind y)) && N.eqb (s_key x) (s_key y) && eqb (s_elem x) (s_elem y)
  && all2 same (s_reads x) (s_reads y) && all2 same (s_writes x) (s_writes y).
Definition each_wise (x : step) : bool := match s_kind x with Opaque => s_elem x | _ => true end.
(* reads have the shape of the write that is meant *)
Definition reads_fit (x : step) (slot : nat) : bool :=
  match nth_error (s_writes x) slot with
  | Some w => forallb (fun r => is (nums_dec (v_sh r) (v_sh w))) (s_reads x)
  | None => false
  end.
Definition alike (eq : content -> content -> bool) (f : facts) (x y : content) : bool :=
  match x, y with
  | C s t ch, C s' t' ch' =>
    match prev ib s t, prev ia s' t', get s (t_st b), get s' (t_st a) with
    | Some None, Some None, Some p, Some q =>
      N.eqb (st_start p) (st_start q) && N.eqb (st_key p) (st_key q) && (negb (N.eqb (st_start p) undefined) || (fresh && is (nums_dec (st_sh p) (st_sh q))))
      && is (maps_dec ch ch')
    | _, _, _, _ => false
    end
  | St k slot ch, St k' slot' ch' =>
    match get k (t_steps b), get k' (t_steps a) with
    | Some p, Some q =>
      (existsb (N.eqb k') (entries (f_call f) k) && Nat.eqb slot slot' && is (maps_dec ch ch'))
      || (each_wise p && one_op one_elem p q && Nat.eqb slot slot' && reads_fit p slot && reads_fit q slot'
          && all2 (fun r r' => eq (C (v_st r) k (v_maps r ++ ch)) (C (v_st r') k' (v_maps r' ++ ch')))
                  (s_reads p) (s_reads q))
    | _, _ => false
    end
  | _, _ => false
  end.
Fixpoint equal (n : nat) (f : facts) (x y : content) : bool :=
  match n with
  | O => false
  | S n' =>
    walk b ib fuel (fun c => told_of f c && walk a ia fuel (meets f c) y) x
    || alike (equal n' f) f (origin b ib fuel x) (origin a ia fuel y)
  end.
End Numbers.
