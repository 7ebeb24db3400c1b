(* Contents followed back, from the latest write to where that had it from, as chains of maps: for all sizes.
   Nothing in here has to be believed. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Views Norm.
Import ListNotations.

Section Numbers.
Variable cval : num -> option Z.     (* numbers that are constants *)
Notation maps_apart := (maps_apart cval).
Notation clean_chk := (clean_chk cval).

(* What a step of elements was shown to store, by an identity: its read number j; a scalar of a type; what another
   operator makes of some of its reads. *)
Inductive simpler := Keeps (j : nat) | Scalar (key ty : N) | Calls (key : N) (js : list nat).
Definition simple := PM.t simpler.

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
(* by an identity, what is stored is an operand *)
Definition kept (t : trace) (sm : simple) (k : N) : option view :=
  match get k sm, get k (t_steps t) with
  | Some (Keeps j), Some st => nth_error (s_reads st) j
  | _, _ => None
  end.
Definition back (t : trace) (ix : index) (sm : simple) (x : content) : option content :=
  match x with
  | St k _ ch => match kept t sm k with Some r => Some (C (v_st r) k (v_maps r ++ ch)) | None => None end
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
Fixpoint walk (t : trace) (ix : index) (sm : simple) (fuel : nat) (test : content -> bool) (x : content) : bool :=
  test x || match fuel with
            | O => false
            | S f => match back t ix sm x with Some y => walk t ix sm f test y | None => false end
            end.
Fixpoint origin (t : trace) (ix : index) (sm : simple) (fuel : nat) (x : content) : content :=
  match fuel with
  | O => x
  | S f => match back t ix sm x with Some y => origin t ix sm f y | None => x end
  end.

(* --- what was stored, as an operator of elements and its operands --- *)
Inductive made := MadeScalar (key ty : N) | MadeOf (kd : kind) (key ty : N) (rs : list view).
Fixpoint picks {A} (l : list A) (js : list nat) : option (list A) :=
  match js with
  | [] => Some []
  | j :: r => match nth_error l j, picks l r with Some x, Some xs => Some (x :: xs) | _, _ => None end
  end.
Definition fit (w : view) (rs : list view) : bool := forallb (fun r => is (nums_dec (v_sh r) (v_sh w))) rs.
Definition made_by (st : step) (w : view) : option made :=
  match s_kind st with
  | Fill => Some (MadeScalar (s_key st) (v_ty w))
  | Move => match s_reads st with
            | r :: _ => guard (negb (N.eqb (v_ty r) (v_ty w)) && fit w [r]) (Some (MadeOf Move 0 (v_ty w) [r]))
            | [] => None
            end
  | Opaque => guard (s_elem st && fit w (s_reads st)) (Some (MadeOf Opaque (s_key st) (v_ty w) (s_reads st)))
  end.
Definition made_of (t : trace) (sm : simple) (k : N) (slot : nat) : option made :=
  match get k (t_steps t) with
  | None => None
  | Some st =>
    match nth_error (s_writes st) slot with
    | None => None
    | Some w =>
      match get k sm with
      | Some (Scalar key ty) => Some (MadeScalar key ty)
      | Some (Calls key js) =>
        match picks (s_reads st) js with Some rs => guard (fit w rs) (Some (MadeOf Opaque key (v_ty w) rs)) | None => None end
      | _ => made_by st w
      end
    end
  end.

(* --- identities: is a step an instance of one, all of whose numbers are what its reads hold? --- *)
Definition is_scalar (t : trace) (ix : index) (sm : simple) (fuel : nat) (k : N) (r : view) (key ty : N) : bool :=
  match origin t ix sm fuel (C (v_st r) k (v_maps r)) with
  | St k' slot _ => match made_of t sm k' slot with Some (MadeScalar key' ty') => N.eqb key key' && N.eqb ty ty' | _ => false end
  | C _ _ _ => false
  end.
Definition is_operand (x : term) (j : nat) : bool := match x with Operand j' => Nat.eqb j j' | _ => false end.
Definition argument_ok t ix sm fuel (k : N) (x : term) (p : nat * view) : bool :=
  match x with
  | Operand _ => is_operand x (fst p)
  | Number key ty => is_scalar t ix sm fuel k (snd p) key ty
  | Apply _ _ _ _ _ => false
  end.
Definition says_so (st : step) (w : view) (x : term) (s : simpler) : bool :=
  match x, s with
  | Operand j, Keeps j' => Nat.eqb j j' && Nat.ltb j (length (s_reads st))
  | Number key ty, Scalar key' ty' => N.eqb key key' && N.eqb ty ty'
  | Apply Opaque key ty tys args, Calls key' js =>
    match picks (s_reads st) js with
    | Some rs => N.eqb key key' && N.eqb ty (v_ty w) && is (nums_dec tys (map v_ty rs)) && all2 is_operand args js
    | None => false
    end
  | _, _ => false
  end.
Definition instance (t : trace) (ix : index) (sm : simple) (fuel : nat) (e : term * term) (k : N) (s : simpler) : bool :=
  match get k (t_steps t), fst e with
  | Some st, Apply Opaque key ty tys args =>
    match s_kind st, s_writes st with
    | Opaque, [w] =>
      N.ltb k (t_n t) && s_elem st && fit w (s_reads st) && N.eqb key (s_key st) && N.eqb ty (v_ty w)
      && is (nums_dec tys (map v_ty (s_reads st)))
      && all2 (argument_ok t ix sm fuel k) args (combine (seq 0 (length (s_reads st))) (s_reads st))
      && says_so st w (snd e) s
    | _, _ => false
    end
  | _, _ => false
  end.

(* --- lemmas so far --- *)
Definition at2 {A} (m : PM.t (PM.t A)) (j k : N) : option A := match get j m with Some r => get k r | None => None end.
Definition add2 {A} (m : PM.t (PM.t A)) (j k : N) (x : A) : PM.t (PM.t A) :=
  PM.add (N.succ_pos j) (PM.add (N.succ_pos k) x (match get j m with Some r => r | None => PM.empty A end)) m.
Definition list2 {A} (m : PM.t (PM.t (list A))) (j k : N) : list A := match at2 m j k with Some l => l | None => [] end.
Record facts := Facts { f_same : PM.t (PM.t (list (N * N)));  (* storage, version of before: storage, version of after *)
                        f_call : PM.t (list N);           (* step of before: steps of after *)
                        f_before : simple; f_after : simple }.

Variables (fresh : bool) (b a : trace) (ib ia : index) (fuel : nat).

Definition meets (f : facts) (x y : content) : bool :=
  match x, y with
  | C s t ch, C s' t' ch' =>
    match version ib s t, version ia s' t' with
    | Some v, Some v' => existsb (fun e => N.eqb (fst e) s' && N.eqb (snd e) v') (list2 (f_same f) s v) && one_chain cval ch ch'
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
  match nth_error (s_writes x) slot with Some w => fit w (s_reads x) | None => false end.
Definition made_alike (eq : content -> content -> bool) (k k' : N) (ch ch' : list imap) (x y : option made) : bool :=
  match x, y with
  | Some (MadeScalar key ty), Some (MadeScalar key' ty') => N.eqb key key' && N.eqb ty ty'
  | Some (MadeOf kd key ty rs), Some (MadeOf kd' key' ty' rs') =>
    is (kind_dec kd kd') && N.eqb key key' && N.eqb ty ty' && all2 one_elem rs rs'
    && all2 (fun r r' => eq (C (v_st r) k (v_maps r ++ ch)) (C (v_st r') k' (v_maps r' ++ ch'))) rs rs'
  | _, _ => false
  end.
Definition alike (eq : content -> content -> bool) (f : facts) (x y : content) : bool :=
  match x, y with
  | C s t ch, C s' t' ch' =>
    match prev ib s t, prev ia s' t', get s (t_st b), get s' (t_st a) with
    | Some None, Some None, Some p, Some q =>
      N.eqb (st_start p) (st_start q) && N.eqb (st_key p) (st_key q) && (negb (N.eqb (st_start p) undefined) || (fresh && is (nums_dec (st_sh p) (st_sh q))))
      && one_chain cval ch ch'
    | _, _, _, _ => false
    end
  | St k slot ch, St k' slot' ch' =>
    (existsb (N.eqb k') (entries (f_call f) k) && Nat.eqb slot slot' && one_chain cval ch ch')
    || made_alike eq k k' ch ch' (made_of b (f_before f) k slot) (made_of a (f_after f) k' slot')
  | _, _ => false
  end.
Fixpoint equal (n : nat) (f : facts) (x y : content) : bool :=
  match n with
  | O => false
  | S n' =>
    walk b ib (f_before f) fuel (fun c => told_of f c && walk a ia (f_after f) fuel (meets f c) y) x
    || alike (equal n' f) f (origin b ib (f_before f) fuel x) (origin a ia (f_after f) fuel y)
  end.
End Numbers.
