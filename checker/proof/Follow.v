(* Contents followed back, from the latest write to where that had it from, as chains of maps: for all sizes.
   Nothing in here has to be believed. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Norm.
Import ListNotations.

Section Numbers.
Variable cval : knows.     (* what is known of numbers *)
Notation maps_apart := (maps_apart cval).
Notation clean_chk := (clean_chk cval).

(* --- contents, followed back --- *)
Inductive content := C (s t : N) (ch : list imap) | St (k : N) (slot : nat) (ch : list imap).
Definition append (x : content) (ch : list imap) : content :=
  match x with C s t c => C s t (c ++ ch) | St k slot c => St k slot (c ++ ch) end.
(* What a step was shown to store, by an identity: a content; a scalar of a type; what another operator makes of some of its
   reads; a content of another type, cast. *)
Inductive simpler := Keeps (x : content) | Scalar (key ty : N) | Calls (key : N) (js : list nat) | Casts (from : N) (x : content).
Definition simple := PM.t simpler.
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
Fixpoint find_hit (ws : list view) (slot : nat) (s : N) (ch : list imap) : option (nat * list imap) :=
  match ws with
  | [] => None
  | w :: r =>
    if N.eqb (v_st w) s then
      match strip (v_maps w) ch with Some rest => Some (slot, rest) | None => find_hit r (S slot) s ch end
    else find_hit r (S slot) s ch
  end.
(* by an identity, what is stored is a content *)
Definition kept (sm : simple) (k : N) : option content := match get k sm with Some (Keeps x) => Some x | _ => None end.
Definition back (t : trace) (ix : index) (sm : simple) (x : content) : option content :=
  match x with
  | St k _ ch => match kept sm k with Some y => Some (append y ch) | None => None end
  | C s time ch =>
    match prev ix s time with
    | None | Some None => None
    | Some (Some k) =>
      match get k (t_steps t) with
      | None => None
      | Some st =>
        match find_hit (s_writes st) 0 s ch with
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
(* the first that passes, or, without one, the origin *)
Fixpoint seek (t : trace) (ix : index) (sm : simple) (fuel : nat) (test : content -> bool) (x : content) : bool * content :=
  if test x then (true, x) else
  match fuel with
  | O => (false, x)
  | S f => match back t ix sm x with Some y => seek t ix sm f test y | None => (false, x) end
  end.
Fixpoint origin (t : trace) (ix : index) (sm : simple) (fuel : nat) (x : content) : content :=
  match fuel with
  | O => x
  | S f => match back t ix sm x with Some y => origin t ix sm f y | None => x end
  end.

(* --- what was stored, as an operator of elements and its operands --- *)
Inductive made := MadeScalar (key ty : N) | MadeOf (kd : kind) (key ty : N) (rs : list (N * content)).
Definition of_read (k : N) (r : view) : N * content := (v_ty r, C (v_st r) k (v_maps r)).
Fixpoint picks {A} (l : list A) (js : list nat) : option (list A) :=
  match js with
  | [] => Some []
  | j :: r => match nth_error l j, picks l r with Some x, Some xs => Some (x :: xs) | _, _ => None end
  end.
Definition fit (w : view) (rs : list view) : bool := forallb (fun r => is (nums_dec (v_sh r) (v_sh w))) rs.
Definition made_by (st : step) (k : N) (w : view) : option made :=
  let of kd key rs := Some (MadeOf kd key (v_ty w) (map (of_read k) rs)) in
  match s_kind st with
  | Fill => Some (MadeScalar (s_key st) (v_ty w))
  | Move => match s_reads st with
            | r :: _ => guard (negb (N.eqb (v_ty r) (v_ty w)) && fit w [r]) (of Move 0%N [r])
            | [] => None
            end
  | Opaque => guard (s_elem st && fit w (s_reads st)) (of Opaque (s_key st) (s_reads st))
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
      | Some (Casts from x) => Some (MadeOf Move 0 (v_ty w) [(from, x)])
      | Some (Calls key js) =>
        match picks (s_reads st) js with
        | Some rs => guard (fit w rs) (Some (MadeOf Opaque key (v_ty w) (map (of_read k) rs)))
        | None => None
        end
      | _ => made_by st k w
      end
    end
  end.

(* --- identities: is a step an instance of one, all of whose numbers are what its reads hold? What does it store then? --- *)
Section Instance.
Variables (t : trace) (ix : index) (sm : simple) (fuel : nat) (k : N).
Definition is_scalar (r : view) (key ty : N) : bool :=
  match origin t ix sm fuel (C (v_st r) k (v_maps r)) with
  | St k' slot _ => match made_of t sm k' slot with Some (MadeScalar key' ty') => N.eqb key key' && N.eqb ty ty' | _ => false end
  | C _ _ _ => false
  end.
Definition is_operand (x : term) (j : nat) : bool := match x with Operand j' => Nat.eqb j j' | _ => false end.
Definition argument_ok (x : term) (p : nat * view) : bool :=
  match x with
  | Operand _ => is_operand x (fst p)
  | Number key ty => is_scalar (snd p) key ty
  | Apply _ _ _ _ _ => false
  end.
Definition number_of (x : term) : nat := match x with Operand j => j | _ => 0 end.
Definition says (st : step) (w : view) (x : term) : option simpler :=
  match x with
  | Operand j => match nth_error (s_reads st) j with Some r => Some (Keeps (C (v_st r) k (v_maps r))) | None => None end
  | Number key ty => Some (Scalar key ty)
  | Apply Opaque key ty tys args =>
    let js := map number_of args in
    match picks (s_reads st) js with
    | Some rs => guard (N.eqb ty (v_ty w) && is (nums_dec tys (map v_ty rs)) && all2 is_operand args js) (Some (Calls key js))
    | None => None
    end
  | Apply _ _ _ _ _ => None
  end.
Definition of_operator (st : step) (w : view) (key ty : N) (tys : list N) (args : list term) (rhs : term) : option simpler :=
  guard (s_elem st && fit w (s_reads st) && N.eqb key (s_key st) && N.eqb ty (v_ty w) && is (nums_dec tys (map v_ty (s_reads st)))
         && all2 argument_ok args (combine (seq 0 (length (s_reads st))) (s_reads st))) (says st w rhs).
(* a cast of a cast: of which content of which type *)
Definition cast_before (r : view) : option (N * content) :=
  match origin t ix sm fuel (C (v_st r) k (v_maps r)) with
  | St k' slot ch =>
    match made_of t sm k' slot with
    | Some (MadeOf Move key ty [(from, x)]) => guard (N.eqb key 0 && N.eqb ty (v_ty r)) (Some (from, append x ch))
    | _ => None
    end
  | C _ _ _ => None
  end.
Definition of_cast (w r : view) (lhs rhs : term) : option simpler :=
  match cast_before r, lhs with
  | Some (from, x), Apply Move key ty [mid] [Apply Move key' mid' [from'] [Operand j]] =>
    guard (negb (N.eqb (v_ty r) (v_ty w)) && fit w [r] && N.eqb key 0 && N.eqb key' 0 && N.eqb ty (v_ty w) && N.eqb mid (v_ty r)
           && N.eqb mid' (v_ty r) && N.eqb from' from && Nat.eqb j 0)
      match rhs with
      | Operand i => guard (Nat.eqb i 0) (Some (Keeps x))
      | Apply Move key'' ty'' [from''] [Operand i] =>
        guard (N.eqb key'' 0 && N.eqb ty'' (v_ty w) && N.eqb from'' from && Nat.eqb i 0) (Some (Casts from x))
      | _ => None
      end
  | _, _ => None
  end.
Definition instance (e : term * term) : option simpler :=
  match get k (t_steps t) with
  | None => None
  | Some st =>
    match s_writes st with
    | [w] =>
      guard (N.ltb k (t_n t))
        match s_kind st, s_reads st, fst e with
        | Opaque, _, Apply Opaque key ty tys args => of_operator st w key ty tys args (snd e)
        | Move, r :: _, lhs => of_cast w r lhs (snd e)
        | _, _, _ => None
        end
    | _ => None
    end
  end.
End Instance.

(* --- lemmas so far --- *)
Definition at2 {A} (m : PM.t (PM.t A)) (j k : N) : option A := match get j m with Some r => get k r | None => None end.
Definition add2 {A} (m : PM.t (PM.t A)) (j k : N) (x : A) : PM.t (PM.t A) :=
  PM.add (N.succ_pos j) (PM.add (N.succ_pos k) x (match get j m with Some r => r | None => PM.empty A end)) m.
Definition list2 {A} (m : PM.t (PM.t (list A))) (j k : N) : list A := match at2 m j k with Some l => l | None => [] end.
Record facts := Facts { f_same : PM.t (PM.t (list (N * N)));  (* storage, version of before: storage, version of after *)
                        f_call : PM.t (list N);           (* step of before: steps of after *)
                        f_before : simple; f_after : simple }.

Variables (fresh : bool) (b a : trace) (ib ia : index) (fuel : nat).

(* what this content is known to be the same as: (storage, version) of after *)
Definition known_of (f : facts) (x : content) : list (N * N) :=
  match x with
  | C s t _ =>
    match get s (f_same f) with
    | Some r => match version ib s t with Some v => match get v r with Some l => l | None => [] end | None => [] end
    | None => []
    end
  | _ => []
  end.
Definition meets (es : list (N * N)) (ch : list imap) (y : content) : bool :=
  match y with
  | C s' t' ch' =>
    match version ia s' t' with
    | Some v' => existsb (fun e => N.eqb (fst e) s' && N.eqb (snd e) v') es && one_chain cval ch ch'
    | None => false
    end
  | _ => false
  end.
Definition chain (x : content) : list imap := match x with C _ _ ch => ch | St _ _ ch => ch end.
Definition known_same (f : facts) (y x : content) : bool :=
  match known_of f x with [] => false | es => walk a ia (f_after f) fuel (meets es (chain x)) y end.
Definition one_type (v w : view) : bool := N.eqb (v_ty v) (v_ty w) && is (nums_dec (v_sh v) (v_sh w)).
Definition one_elem (v w : view) : bool := N.eqb (v_ty v) (v_ty w).
Definition one_op (same : view -> view -> bool) (x y : step) : bool :=
  is (kind_dec (s_kind x) (s_kind y)) && N.eqb (s_key x) (s_key y) && eqb (s_elem x) (s_elem y)
  && all2 same (s_reads x) (s_reads y) && all2 same (s_writes x) (s_writes y).
Definition each_wise (x : step) : bool := match s_kind x with Opaque => s_elem x | _ => true end.
(* reads have the shape of the write that is meant *)
Definition reads_fit (x : step) (slot : nat) : bool :=
  match nth_error (s_writes x) slot with Some w => fit w (s_reads x) | None => false end.
Definition made_alike (eq : content -> content -> bool) (ch ch' : list imap) (x y : option made) : bool :=
  match x, y with
  | Some (MadeScalar key ty), Some (MadeScalar key' ty') => N.eqb key key' && N.eqb ty ty'
  | Some (MadeOf kd key ty rs), Some (MadeOf kd' key' ty' rs') =>
    is (kind_dec kd kd') && N.eqb key key' && N.eqb ty ty' && all2 (fun p q : N * content => N.eqb (fst p) (fst q)) rs rs'
    && all2 (fun p q => eq (append (snd p) ch) (append (snd q) ch')) rs rs'
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
    || made_alike eq ch ch' (made_of b (f_before f) k slot) (made_of a (f_after f) k' slot')
  | _, _ => false
  end.
Fixpoint equal (n : nat) (f : facts) (x y : content) : bool :=
  match n with
  | O => false
  | S n' =>
    let found := seek b ib (f_before f) fuel (known_same f y) x in
    fst found || alike (equal n' f) f (snd found) (origin a ia (f_after f) fuel y)
  end.
End Numbers.
