(* The checker: a boolean function of a certificate.  Nothing in here has to be believed: Sound.v proves that
   what it accepts is right. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Follow Points Places Sharing.
Import ListNotations.

Section Numbers.
Variable cval : knows.     (* what is known of numbers *)
Variable ids : list (term * term).   (* identities that hold *)
Variables (fresh : bool) (b a : trace) (ib ia : index) (fuel : nat) (points : option (points * points)).
Notation cleans := (cleans cval).
Notation walk := (walk cval).
(* the same for all sizes; or element by element, where all sizes are small constants *)
Definition equal_by (n : nat) (f : facts) (sh : list num) (x y : content) : bool :=
  Follow.equal cval fresh b a ib ia fuel n f x y || each_point cval fresh b a ib ia fuel points n f sh x y.

(* --- contents that come from here or from there: those of a whole storage, by the latest write into it, of what that writes and of
   the rest; where [holes] lead nothing is asked --- *)
(* the writes of a step into one storage *)
Definition slots_of (st : step) (s : N) : list (nat * view) :=
  filter (fun p => N.eqb (v_st (snd p)) s) (combine (seq 0 (length (s_writes st))) (s_writes st)).
Definition last_write (t : trace) (ix : index) (x : content) : option (N * step * nat * view) :=
  match x with
  | C s time [] =>
    match prev ix s time with
    | Some (Some k) =>
      match get k (t_steps t) with
      | Some st => match slots_of st s with [(slot, w)] => guard (cleans t st) (Some (k, st, slot, w)) | _ => None end
      | None => None
      end
    | _ => None
    end
  | _ => None
  end.
(* what was written lay there *)
Definition puts_back (st : step) (k : N) (slot : nat) (w : view) : bool :=
  match source st k slot [] with C s t ch => N.eqb s (v_st w) && N.eqb t k && is (maps_dec ch (v_maps w)) | St _ _ _ => false end.
Definition hole : Type := list num * list imap.
Definition within (holes : list hole) (w : view) : list hole :=
  flat_map (fun h => match strip (v_maps w) (snd h) with Some r => [(fst h, r)] | None => [] end) holes.
Definition is_hole (holes : list hole) (sh : list num) (ms : list imap) : bool :=
  existsb (fun h => is (nums_dec (fst h) sh) && is (maps_dec (snd h) ms)) holes.
Definition whole (x : content) : bool := match x with C _ _ [] => true | _ => false end.
Fixpoint spliced (m n : nat) (f : facts) (sh : list num) (holes : list hole) (x y : content) : bool :=
  match m with
  | O => false
  | S m' =>
    is_hole holes sh []
    || Follow.equal cval fresh b a ib ia fuel n f x y
    || match last_write a ia y with
       | Some (k, q, slot, w) =>
         is (nums_dec sh (shape_of a (v_st w))) &&
         if puts_back q k slot w then spliced m' n f sh holes x (C (v_st w) k [])
         else (is_hole holes (v_sh w) (v_maps w)
               || spliced m' n f (v_sh w) (within holes w) (origin cval b ib (f_before f) fuel (append x (v_maps w))) (source q k slot []))
              && spliced m' n f sh ((v_sh w, v_maps w) :: holes) x (C (v_st w) k [])
       | None => false
       end
    || match last_write b ib x with
       | Some (k, p, slot, w) =>
         is (nums_dec sh (shape_of b (v_st w)))
         && (puts_back p k slot w || spliced m' n f (v_sh w) (within holes w) (source p k slot [])
                                       (origin cval a ia (f_after f) fuel (append y (v_maps w))))
         && spliced m' n f sh holes (C (v_st w) k []) y
       | None => false
       end
    || (negb (whole x && whole y)
        && spliced m' n f sh holes (origin cval b ib (f_before f) fuel x) (origin cval a ia (f_after f) fuel y))
  end.
Definition most_splices : nat := 14.
Definition equal (n : nat) (f : facts) (sh : list num) (x y : content) : bool :=
  equal_by n f sh x y || (N.leb (t_n b + t_n a) 100 && spliced most_splices n f sh [] x y).

(* --- lemmas of a certificate --- *)
Inductive lemma :=
| LCall (k k' : N)                  (* steps of before, after: one function of equal operands *)
| LSame (s t s' t' : N)             (* storages at times: the same at every index *)
| LWrite (s t s' t' : N)            (* the same: so before the latest step that writes it, and it puts the same in the same places *)
| LSimple (of_before : bool) (k : N) (e : nat).   (* step k is an instance of identity number e *)
Definition same_shape (s s' : N) : bool := is (nums_dec (shape_of b s) (shape_of a s')).
Definition learned (f : facts) (s t s' t' : N) : option facts :=
  match version ib s t, version ia s' t' with
  | Some v, Some v' =>
    Some {| f_same := add2 (f_same f) s v ((s', v') :: list2 (f_same f) s v); f_call := f_call f;
            f_before := f_before f; f_after := f_after f |}
  | _, _ => None
  end.
(* a write of every element: what was there before does not matter *)
Definition whole_write (s : N) (ws : list (nat * view)) : bool :=
  match ws with [(_, w)] => match v_maps w with [] => is (nums_dec (v_sh w) (shape_of b s)) | _ => false end | _ => false end.
Definition learn (n : nat) (f : facts) (l : lemma) : option facts :=
  match l with
  | LCall k k' =>
    match get k (t_steps b), get k' (t_steps a) with
    | Some p, Some q =>
      guard (N.ltb k (t_n b) && N.ltb k' (t_n a) && one_op one_type p q
             && (negb (each_wise p) || (reads_fit p 0 && Nat.eqb (length (s_writes p)) 1))
             && all2 (fun r r' => equal n f (v_sh r) (C (v_st r) k (v_maps r)) (C (v_st r') k' (v_maps r')))
                     (s_reads p) (s_reads q))
            (Some {| f_same := f_same f; f_call := put (f_call f) k k'; f_before := f_before f; f_after := f_after f |})
    | _, _ => None
    end
  | LSame s t s' t' =>
    guard (same_shape s s' && N.leb t (t_n b) && N.leb t' (t_n a) && equal n f (shape_of b s) (C s t []) (C s' t' []))
          (learned f s t s' t')
  | LWrite s t s' t' =>
    match prev ib s t, prev ia s' t' with
    | Some (Some k), Some (Some k') =>
      match get k (t_steps b), get k' (t_steps a) with
      | Some p, Some q =>
        let ws := slots_of p s in let ws' := slots_of q s' in
        guard (same_shape s s' && N.leb t (t_n b) && N.leb t' (t_n a) && cleans b p && cleans a q
               && (whole_write s ws || equal n f (shape_of b s) (C s k []) (C s' k' []))
               && all2 (fun x y => is (maps_dec (v_maps (snd x)) (v_maps (snd y))) && is (nums_dec (v_sh (snd x)) (v_sh (snd y)))
                                   && equal n f (v_sh (snd x)) (source p k (fst x) []) (source q k' (fst y) [])) ws ws')
              (learned f s t s' t')
      | _, _ => None
      end
    | _, _ => None
    end
  | LSimple of_before k e =>
    match nth_error ids e with
    | None => None
    | Some id =>
      match (if of_before then instance cval b ib (f_before f) fuel k id else instance cval a ia (f_after f) fuel k id) with
      | None => None
      | Some x =>
        let add sm := PM.add (N.succ_pos k) x sm in
        Some {| f_same := f_same f; f_call := f_call f;
                f_before := if of_before then add (f_before f) else f_before f;
                f_after := if of_before then f_after f else add (f_after f) |}
      end
    end
  end.
Fixpoint learn_all (n : nat) (f : facts) (ls : list lemma) : option facts :=
  match ls with
  | [] => Some f
  | l :: r => match learn n f l with Some g => learn_all n g r | None => None end
  end.

(* --- the boundary --- *)
Definition strides_ok (x y : output) : bool :=
  match o_strides x, o_strides y with Some p, Some q => is (nums_dec p q) | _, _ => true end.
Definition output_ok (n : nat) (f : facts) (x y : output) : bool :=
  N.eqb (o_scalar x) (o_scalar y)
  && match o_view x, o_view y with
     | None, None => true
     | Some v, Some w => one_type v w && strides_ok x y
                         && equal n f (v_sh v) (C (v_st v) (t_n b) (v_maps v)) (C (v_st w) (t_n a) (v_maps w))
     | _, _ => false
     end.
Definition exit_ok (keys : PM.t (PM.t N)) (n : nat) (f : facts) (p : N * storage) : bool :=
  negb (st_cmp (snd p)) ||
  match at2 keys (st_start (snd p)) (st_key (snd p)) with
  | Some s' =>
    match get s' (t_st b) with
    | Some x => N.eqb (st_start x) (st_start (snd p)) && N.eqb (st_key x) (st_key (snd p)) && same_shape s' (fst p)
                && equal n f (st_sh (snd p)) (C s' (t_n b) []) (C (fst p) (t_n a) [])
    | None => false
    end
  | None => false
  end.
Definition frame_ok (keys : PM.t (PM.t N)) (p : N * storage) : bool :=
  negb (st_cmp (snd p)) ||
  match at2 keys (st_start (snd p)) (st_key (snd p)) with
  | Some s' => match get s' (t_st a) with
               | Some y => N.eqb (st_start y) (st_start (snd p)) && N.eqb (st_key y) (st_key (snd p)) && st_cmp y
               | None => false
               end
  | None => false
  end.
Definition same_input (v w : view) : bool :=
  N.eqb (v_ty v) (v_ty w) && is (nums_dec (v_sh v) (v_sh w)) && is (maps_dec (v_maps v) (v_maps w))
  && match get (v_st v) (t_st b), get (v_st w) (t_st a) with
     | Some x, Some y => N.eqb (st_start x) (st_start y) && N.eqb (st_key x) (st_key y)
     | _, _ => false
     end.
Definition steps_ok (t : trace) (test : step -> bool) : bool := PM.every test (t_steps t).
Definition store_ok (t : trace) (s : step) : bool :=
  forallb (fun w => match get (v_st w) (t_st t) with Some x => st_wr x | None => false end) (s_writes s).

Definition inputs_ok : bool :=
  let named := grouped fst (t_in a) in
  forallb (fun p => forallb (fun q => negb (N.eqb (fst p) (fst q)) || same_input (snd p) (snd q)) (entries named (fst p))) (t_in b).

(* --- names: going back from where it is used, a content is met that nobody wrote since the time that is meant --- *)
Definition since_then (time : N) (v : view) (c : content) : bool :=
  match c with
  | C s t ch => N.eqb s (v_st v) && is (maps_dec ch (v_maps v)) && N.leb time t
                && match prev ia s t with Some (Some j) => N.ltb j time | Some None => true | None => false end
  | St _ _ _ => false
  end.
Definition name_ok (v : view) (k time : N) : bool :=
  walk a ia (PM.empty _) fuel (since_then time v) (C (v_st v) k (v_maps v)).
Definition read_ok (k : N) (p : view * N) : bool := name_ok (fst p) k (snd p).
Definition named_steps : list (N * step) :=
  PM.pick (fun s => match s_means s with [] => false | _ => true end) (t_steps a).
Definition names_ok : bool :=
  forallb (fun q => forallb (read_ok (fst q)) (combine (s_reads (snd q)) (s_means (snd q)))) named_steps
  && forallb (fun o => match o_view o, o_means o with Some v, Some time => name_ok v (t_n a) time | _, _ => true end) (t_out a).

Definition boundary_ok (c : boundary) (n : nat) (f : facts) : bool :=
  let sb := all_storages b in let sa := all_storages a in
  all2 (output_ok n f) (t_out b) (t_out a)
  && (b_alone c || ((let kb := key_map sb in forallb (exit_ok kb n f) sa) && (b_grow c || sharing_ok cval (b_may c) b a)
                    && (b_shrink c || sharing_ok cval (b_may c) a b)))
  && (let ka := key_map sa in forallb (frame_ok ka) sb)
  && steps_ok a (fun s => store_ok a s && cleans a s)
  && inputs_ok && (names_ok && places_ok cval a && orders_ok cval a).
End Numbers.

(* n: how deep questions may be nested; fuel: how far contents are followed *)
Definition accepts (numbers_ : numbers) (ids : list (term * term)) (c : boundary) (fresh use_points : bool) (b a : trace) (ls : list lemma) (n fuel : nat) : bool :=
  let cval := knows_of numbers_ in
  let ib := index_of b in let ia := index_of a in
  let points := if use_points then Some (points_of cval b, points_of cval a) else None in
  let none := {| f_same := PM.empty _; f_call := PM.empty _; f_before := PM.empty _; f_after := PM.empty _ |} in
  match learn_all cval ids fresh b a ib ia fuel points n none ls with
  | Some f => boundary_ok cval fresh b a ib ia fuel points c n f
  | None => false
  end.
