(* Chains of maps in a normal form: maps that change nothing are left out, neighbours become one. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Poly Views Latest Maps.
Import ListNotations.

(* --- what is done --- *)
Section Do.
Variable cval : knows.
Definition is_const (k : num) (z : Z) : bool := match cval k with Some x => Z.eqb x z | None => false end.
(* a number that is a sum or product, where it is one of the two *)
Definition plus (x y : num) : option num := if is_const x 0 then Some y else if is_const y 0 then Some x else None.
Definition times (x y : num) : option num :=
  if is_const x 1 then Some y else if is_const y 1 then Some x
  else if is_const x 0 then Some x else if is_const y 0 then Some y else None.

(* Factors in order; their sum does not depend on it. *)
Definition before_ (f g : N * N * num) : bool :=
  let '(t, d, _) := f in let '(u, e, _) := g in N.ltb d e || (N.eqb d e && N.leb t u).
Fixpoint insert (f : N * N * num) (l : list (N * N * num)) : list (N * N * num) :=
  match l with [] => [f] | g :: r => if before_ f g then f :: l else g :: insert f r end.
Definition sorted (l : list (N * N * num)) := fold_right insert [] l.
Definition one_map (m : imap) : imap := match m with Aff from to start fs => Aff from to start (sorted fs) | other => other end.

(* the identity: index d of the one is index d of the other, or the only one *)
Definition same_index (fs : list (N * N * num)) (p : nat * num) : bool :=
  match filter (fun f => N.eqb (from_of f) (N.of_nat (fst p))) fs with
  | [] => is_const (snd p) 1
  | [(t, _, b)] => N.eqb t (N.of_nat (fst p)) && is_const b 1
  | _ => false
  end.
Definition numbered {A} (l : list A) : list (nat * A) := combine (seq 0 (length l)) l.
Definition nothing (m : imap) : bool :=
  match m with
  | Aff from to start fs =>
    is (nums_dec from to) && Nat.eqb (length start) (length to) && forallb (fun s => is_const s 0) start
    && forallb (same_index fs) (numbered to)
  | Resh from to gs => is (nums_dec from to) && forallb (fun g => N.eqb (fst g) (snd g)) gs && groups_fit (length from) (length to) gs 0 0
  end.

(* affine after affine *)
Fixpoint new_start (fs : list (N * N * num)) (start2 : list num) (d : N) (s : num) : option num :=
  match fs with
  | [] => Some s
  | (t, fr, b) :: r =>
    match new_start r start2 d s with
    | None => None
    | Some x =>
      if N.eqb fr d then
        match nth_error start2 (N.to_nat t) with
        | Some y => match times b y with Some z => plus z x | None => None end
        | None => None
        end
      else Some x
    end
  end.
Fixpoint new_starts fs start2 (d : N) (start : list num) : option (list num) :=
  match start with
  | [] => Some []
  | s :: r => match new_start fs start2 d s, new_starts fs start2 (N.succ d) r with Some x, Some xs => Some (x :: xs) | _, _ => None end
  end.
Fixpoint through (t d : N) (b : num) (fs2 : list (N * N * num)) : option (list (N * N * num)) :=
  match fs2 with
  | [] => Some []
  | (u, t', c) :: r =>
    match through t d b r with
    | None => None
    | Some l => if N.eqb t' t then match times b c with Some x => Some ((u, d, x) :: l) | None => None end else Some l
    end
  end.
Fixpoint new_factors (fs fs2 : list (N * N * num)) : option (list (N * N * num)) :=
  match fs with
  | [] => Some []
  | (t, d, b) :: r => match through t d b fs2, new_factors r fs2 with Some x, Some y => Some (x ++ y) | _, _ => None end
  end.
(* reshape after reshape, where groups meet *)
Definition compose (m n : imap) : option imap :=
  match m, n with
  | Aff from to start fs, Aff from2 to2 start2 fs2 =>
    if is (nums_dec to from2) && forallb (fun f => Nat.ltb (N.to_nat (fst (fst f))) (length start2)) fs then
      match new_starts fs start2 0 start, new_factors fs fs2 with
      | Some s, Some f => Some (Aff from to2 s f)
      | _, _ => None
      end
    else None
  | Resh from to gs, Resh from2 to2 gs2 =>
    if is (nums_dec to from2) && is (nums_dec (map snd gs) (map fst gs2)) && groups_fit (length from) (length to) gs 0 0
       && groups_fit (length from2) (length to2) gs2 0 0
    then Some (Resh from to2 (combine (map fst gs) (map snd gs2))) else None
  | _, _ => None
  end.
Fixpoint put_map (m : imap) (ms : list imap) : list imap :=
  match ms with
  | [] => if nothing m then [] else [one_map m]
  | n :: r => match compose m n with
              | Some c => put_map c r
              | None => if nothing m then ms else one_map m :: ms
              end
  end.
Definition norm (ms : list imap) : list imap := fold_right put_map [] ms.
Definition one_chain (x y : list imap) : bool := is (maps_dec x y) || is (maps_dec (norm x) (norm y)).
End Do.

(* --- why it is the same --- *)
Section Right.
Context {nv : num -> Z} {cval : knows} {Consts : consts_hold nv cval}.
Notation root := (root nv).
Notation inbox := (inbox nv).
Notation lands := (lands nv).

Lemma is_const_ok k z : is_const cval k z = true -> nv k = z.
Proof. unfold is_const. destruct (cval k) eqn:E; [|discriminate]. intros H. apply Z.eqb_eq in H. apply cval_ok in E. congruence. Qed.
Lemma plus_ok x y z : plus cval x y = Some z -> nv z = (nv x + nv y)%Z.
Proof.
  unfold plus. destruct (is_const cval x 0) eqn:E; [intros H; inversion H; subst; apply is_const_ok in E; lia|].
  destruct (is_const cval y 0) eqn:E'; [intros H; inversion H; subst; apply is_const_ok in E'; lia | discriminate].
Qed.
Lemma times_ok x y z : times cval x y = Some z -> nv z = (nv x * nv y)%Z.
Proof.
  unfold times. destruct (is_const cval x 1) eqn:E1; [intros H; inversion H; subst; apply is_const_ok in E1; rewrite E1; lia|].
  destruct (is_const cval y 1) eqn:E2; [intros H; inversion H; subst; apply is_const_ok in E2; rewrite E2; lia|].
  destruct (is_const cval x 0) eqn:E3; [intros H; inversion H; subst; apply is_const_ok in E3; rewrite E3; lia|].
  destruct (is_const cval y 0) eqn:E4; [intros H; inversion H; subst; apply is_const_ok in E4; rewrite E4; lia | discriminate].
Qed.
Lemma insert_ok f l i d s : affine_at nv (insert f l) i d s = affine_at nv (f :: l) i d s.
Proof.
  induction l as [|g l IH]; simpl; auto. destruct (before_ f g); auto.
  change (affine_at nv (g :: insert f l) i d s) with (factor_part nv i d g + affine_at nv (insert f l) i d s)%Z. rewrite IH. simpl.
  change (affine_at nv (g :: l) i d s) with (factor_part nv i d g + affine_at nv l i d s)%Z. unfold affine_at. simpl. lia.
Qed.
Lemma sorted_ok l i d s : affine_at nv (sorted l) i d s = affine_at nv l i d s.
Proof.
  induction l as [|f l IH]; simpl; auto. fold (sorted l). rewrite insert_ok.
  change (affine_at nv (f :: sorted l) i d s) with (factor_part nv i d f + affine_at nv (sorted l) i d s)%Z. rewrite IH. auto.
Qed.
Lemma affine_ext fs gs i start : forall d, (forall e s, affine_at nv fs i e s = affine_at nv gs i e s) ->
  affine nv fs i d start = affine nv gs i d start.
Proof. induction start; simpl; intros d H; auto. rewrite H. f_equal. auto. Qed.
Lemma one_map_ok m i : mapfun nv (one_map m) i = mapfun nv m i.
Proof. destruct m; auto. simpl. apply affine_ext. intros. apply sorted_ok. Qed.
Lemma one_map_to m : to_of (one_map m) = to_of m.
Proof. destruct m; auto. Qed.

(* what leaves all as it is *)
Lemma affine_length fs i start : forall d, length (affine nv fs i d start) = length start.
Proof. induction start; simpl; intros; auto. Qed.
Lemma only_factor fs i d s : affine_at nv fs i d s =
  affine_at nv (filter (fun f => N.eqb (from_of f) d) fs) i d s.
Proof.
  induction fs as [|[[t fr] b] fs IH]; simpl; auto. unfold from_of at 1. simpl.
  destruct (N.eqb_spec fr d); simpl; rewrite IH; [|lia]. subst. rewrite N.eqb_refl. auto.
Qed.
Lemma flat_app a b : forall i j acc, length a = length i -> flat (a ++ b) (i ++ j) acc = flat b j (flat a i acc).
Proof. induction a; destruct i; simpl; intros; try discriminate; auto. Qed.
Lemma flat_unflat sh n : sh <> [] -> flat sh (unflat sh n) 0 = n.
Proof.
  unfold unflat. intros H. assert (G : rev sh <> []) by (intro D; apply H; rewrite <- (rev_involutive sh), D; auto).
  rewrite <- (rev_involutive sh) at 1. revert G n. generalize (rev sh) as l. clear sh H. induction l as [|e l IH]; [congruence|].
  intros _ n. destruct l as [|e' l].
  - simpl. lia.
  - change (unflat_rev (e :: e' :: l) n) with ((n mod e)%Z :: unflat_rev (e' :: l) (n / e)).
    change (rev (e :: e' :: l)) with (rev (e' :: l) ++ [e]).
    change (rev ((n mod e)%Z :: unflat_rev (e' :: l) (n / e))) with (rev (unflat_rev (e' :: l) (n / e)) ++ [(n mod e)%Z]).
    rewrite flat_app.
    + rewrite IH by discriminate. cbn [flat]. destruct (Z.eq_dec e 0) as [->|]; [rewrite Zmod_0_r, Zdiv_0_r; lia|].
      rewrite (Z.div_mod n e) at 3 by auto. lia.
    + rewrite !rev_length. generalize (n / e)%Z. clear. generalize (e' :: l) as k. induction k as [|x k IHk]; intros z; auto.
      destruct k; auto. change (S (length (z0 :: k)) = S (length (unflat_rev (z0 :: k) (z / x)))). f_equal. auto.
Qed.
Fixpoint flat_rev (sh i : list Z) : Z :=
  match sh, i with e :: r, x :: j => (flat_rev r j * e + x)%Z | _, _ => 0%Z end.
Lemma flat_of_rev sh : forall i, length sh = length i -> flat (rev sh) (rev i) 0 = flat_rev sh i.
Proof.
  induction sh as [|e sh IH]; intros [|x i] H; try discriminate; auto. cbn [rev flat_rev]. simpl in H. injection H as H.
  rewrite flat_app by (rewrite !rev_length; auto). rewrite IH by auto. auto.
Qed.
Lemma unflat_flat_rev sh : forall i, Forall2 (fun e x => 0 <= x < e)%Z sh i -> unflat_rev sh (flat_rev sh i) = i.
Proof.
  induction sh as [|e sh IH]; intros i H; inversion H as [|? x ? j Hx Hj]; subst; auto. cbn [flat_rev]. destruct sh as [|e' sh].
  - inversion Hj; subst. simpl. f_equal.
  - change (unflat_rev (e :: e' :: sh) (flat_rev (e' :: sh) j * e + x))
      with (((flat_rev (e' :: sh) j * e + x) mod e)%Z :: unflat_rev (e' :: sh) ((flat_rev (e' :: sh) j * e + x) / e)).
    rewrite Z.div_add_l, (Z.div_small x e), Z.add_0_r by lia. rewrite IH by auto. f_equal.
    rewrite Z.add_comm, Z_mod_plus_full. apply Z.mod_small. lia.
Qed.
Lemma box_forall2 sh i : In i (box sh) -> Forall2 (fun e x => 0 <= x < e)%Z sh i.
Proof.
  revert i; induction sh; intros i H; [destruct H as [<-|[]]; constructor|].
  apply in_box_cons in H as (x & j & -> & Hx & Hj). constructor; auto.
Qed.
Lemma forall2_rev {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> Forall2 P (rev l) (rev m).
Proof. induction 1; simpl; [constructor|]. apply Forall2_app; auto. Qed.
Lemma forall2_length {A B} (P : A -> B -> Prop) l m : Forall2 P l m -> length l = length m.
Proof. induction 1; simpl; auto. Qed.
Lemma unflat_flat sh i : In i (box sh) -> unflat sh (flat sh i 0) = i.
Proof.
  intros H. apply box_forall2, forall2_rev in H. unfold unflat. rewrite <- (rev_involutive sh) at 2. rewrite <- (rev_involutive i) at 1.
  rewrite flat_of_rev by (eapply forall2_length; eauto). rewrite unflat_flat_rev, rev_involutive; auto.
Qed.
Lemma reshaped_same gs : forall sh l i, forallb (fun g : N * N => N.eqb (fst g) (snd g)) gs = true ->
  groups_fit (length sh) (length sh) gs l l = true -> In i (box sh) -> reshaped sh sh gs l l i = i.
Proof.
  induction gs as [|[p q] gs IH]; simpl; intros sh l i E H Hi.
  - apply Nat.eqb_eq in H. destruct sh; [|discriminate]. destruct Hi as [<-|[]]. auto.
  - apply andb_true_iff in E as [E1 E2]. apply N.eqb_eq in E1. simpl in E1. subst q. apply andb_true_iff in H as [_ H].
    set (n := N.to_nat (p - l)) in *. destruct (box_split n _ _ Hi) as [B1 B2]. rewrite unflat_flat by auto.
    rewrite IH; auto; [apply firstn_skipn|]. rewrite skipn_length. auto.
Qed.
Lemma nth_ext_same (x y : list Z) : length x = length y -> (forall k, (k < length x)%nat -> nth k x 0%Z = nth k y 0%Z) -> x = y.
Proof. intros L H. apply (nth_ext x y 0%Z 0%Z); auto. Qed.
Lemma nothing_ok m sp i : nothing cval m = true -> inbox (to_of m) i -> inbox sp (mapfun nv m i) -> mapfun nv m i = i.
Proof.
  destruct m as [from to start fs|from to gs]; simpl; intros H Hi _.
  - apply andb_true_iff in H as [H H4]. apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [_ H2].
    apply Nat.eqb_eq in H2. rewrite forallb_forall in H3, H4. unfold Sem.inbox in Hi.
    pose proof (box_length _ _ Hi) as L. rewrite map_length in L.
    apply nth_ext_same; [rewrite affine_length; congruence|]. rewrite affine_length. intros k Hk.
    destruct (nth_error start k) as [s|] eqn:Es; [|apply nth_error_None in Es; lia].
    destruct (nth_error to k) as [e|] eqn:Ee; [|apply nth_error_None in Ee; lia].
    rewrite (affine_nth _ _ _ _ _ _ Es). replace (0 + N.of_nat k)%N with (N.of_nat k) by lia.
    pose proof (is_const_ok _ _ (H3 _ (nth_error_In _ _ Es))) as S0. pose proof (H4 _ (in_numbered _ _ _ Ee)) as F.
    unfold same_index in F. cbn [fst snd] in F. rewrite only_factor.
    assert (B : (0 <= nth k i 0 < nv e)%Z).
    { pose proof (box_nth _ _ k Hi) as B. rewrite map_length in B. specialize (B ltac:(lia)).
      rewrite (nth_error_nth _ _ 0%Z (map_nth_error nv _ _ Ee)) in B. auto. }
    destruct (filter _ fs) as [|[[t fr] b] [|]] eqn:Ef; try discriminate.
    + apply is_const_ok in F. cbn [affine_at fold_right]. unfold affine_at. simpl. lia.
    + apply andb_true_iff in F as [F1 F2]. apply N.eqb_eq in F1. apply is_const_ok in F2. subst t.
      assert (I : In (N.of_nat k, fr, b) (filter (fun f => N.eqb (from_of f) (N.of_nat k)) fs)) by (rewrite Ef; left; auto).
      apply filter_In in I as [_ I]. unfold from_of in I. simpl in I. unfold affine_at. simpl. rewrite I, F2, Nat2N.id. lia.
  - apply andb_true_iff in H as [H H3]. apply andb_true_iff in H as [H1 H2]. apply is_true in H1. subst to.
    apply reshaped_same; auto. rewrite !map_length. auto.
Qed.
(* neighbours that become one *)
Definition sum (l : list (N * N * num)) (i : list Z) (d : N) : Z := fold_right (fun f acc => factor_part nv i d f + acc)%Z 0%Z l.
Lemma affine_sum l i d s : affine_at nv l i d s = (sum l i d + nv s)%Z.
Proof.
  induction l as [|f l IH]; [unfold affine_at, sum; simpl; lia|].
  change (affine_at nv (f :: l) i d s) with (factor_part nv i d f + affine_at nv l i d s)%Z.
  change (sum (f :: l) i d) with (factor_part nv i d f + sum l i d)%Z. lia.
Qed.
Lemma sum_app l m i d : sum (l ++ m) i d = (sum l i d + sum m i d)%Z.
Proof. unfold sum. induction l as [|f l IH]; simpl; auto. rewrite IH. lia. Qed.
Lemma through_ok t fr b fs2 i d : forall l, through cval t fr b fs2 = Some l ->
  sum l i d = if N.eqb fr d then (nv b * sum fs2 i t)%Z else 0%Z.
Proof.
  induction fs2 as [|[[u t'] c] r IH]; simpl; intros l H.
  - inversion H; subst. simpl. destruct (N.eqb fr d); lia.
  - destruct (through cval t fr b r) as [l'|]; [|discriminate]. specialize (IH _ eq_refl).
    destruct (N.eqb_spec t' t) as [->|D].
    + destruct (times cval b c) as [x|] eqn:E; [|discriminate]. inversion H; subst. apply times_ok in E.
      simpl. rewrite IH. destruct (N.eqb_spec fr d); [|lia]. rewrite E. lia.
    + inversion H; subst. rewrite IH. destruct (N.eqb fr d); lia.
Qed.
Lemma compose_at fs fs2 start2 i d s : forall f x, new_factors cval fs fs2 = Some f -> new_start cval fs start2 d s = Some x ->
  forallb (fun g : N * N * num => Nat.ltb (N.to_nat (fst (fst g))) (length start2)) fs = true ->
  affine_at nv fs (affine nv fs2 i 0 start2) d s = affine_at nv f i d x.
Proof.
  induction fs as [|[[t fr] b] fs IH]; intros f x Hf Hx B.
  - simpl in *. inversion Hf; inversion Hx; subst. auto.
  - simpl in Hf, Hx, B. apply andb_true_iff in B as [B1 B2]. apply Nat.ltb_lt in B1.
    destruct (through cval t fr b fs2) as [l1|] eqn:T; [|discriminate]. destruct (new_factors cval fs fs2) as [l2|]; [|discriminate].
    inversion Hf; subst f. destruct (new_start cval fs start2 d s) as [x0|]; [|discriminate]. specialize (IH _ _ eq_refl eq_refl B2).
    change (affine_at nv ((t, fr, b) :: fs) (affine nv fs2 i 0 start2) d s)
      with (factor_part nv (affine nv fs2 i 0 start2) d (t, fr, b) + affine_at nv fs (affine nv fs2 i 0 start2) d s)%Z.
    rewrite IH, !affine_sum, sum_app, (through_ok _ _ _ _ i d _ T). cbn [factor_part].
    destruct (N.eqb fr d); [|inversion Hx; subst; lia].
    destruct (nth_error start2 (N.to_nat t)) as [y|] eqn:Ey; [|discriminate]. destruct (times cval b y) as [z|] eqn:Ez; [|discriminate].
    apply times_ok in Ez. apply plus_ok in Hx. rewrite (affine_nth _ _ _ _ _ _ Ey), affine_sum.
    replace (0 + N.of_nat (N.to_nat t))%N with t by lia. lia.
Qed.
Lemma compose_starts fs fs2 start2 i start : forall d f x, new_factors cval fs fs2 = Some f -> new_starts cval fs start2 d start = Some x ->
  forallb (fun g : N * N * num => Nat.ltb (N.to_nat (fst (fst g))) (length start2)) fs = true ->
  affine nv fs (affine nv fs2 i 0 start2) d start = affine nv f i d x.
Proof.
  induction start as [|s start IH]; simpl; intros d f x Hf Hx B; [inversion Hx; auto|].
  destruct (new_start cval fs start2 d s) as [y|] eqn:Ey; [|discriminate]. destruct (new_starts cval fs start2 (N.succ d) start) as [ys|] eqn:Es; [|discriminate].
  inversion Hx; subst. simpl. rewrite (compose_at _ _ _ _ _ _ _ _ Hf Ey B). f_equal. apply IH; auto.
Qed.
Lemma compose_groups gs : forall gs2 from mid to2 la lb lc i, map snd gs = map fst gs2 ->
  groups_fit (length from) (length mid) gs la lb = true -> groups_fit (length mid) (length to2) gs2 lb lc = true ->
  reshaped from mid gs la lb (reshaped mid to2 gs2 lb lc i) = reshaped from to2 (combine (map fst gs) (map snd gs2)) la lc i.
Proof.
  induction gs as [|[a b] gs IH]; intros [|[b' c] gs2] from mid to2 la lb lc i E F G; simpl in E; try discriminate; auto.
  injection E as -> E. simpl in F, G |- *. apply andb_true_iff in F as [F F4]. apply andb_true_iff in F as [F F3].
  apply andb_true_iff in F as [F1 F2]. apply andb_true_iff in G as [G G4]. apply andb_true_iff in G as [G G3].
  apply Nat.leb_le in F2. set (nb := N.to_nat (b' - lb)) in *. set (nc := N.to_nat (c - lc)) in *.
  set (n := flat (firstn nc to2) (firstn nc i) 0).
  assert (L : length (unflat (firstn nb mid) n) = nb) by (rewrite unflat_length, firstn_length; lia).
  assert (N1 : firstn nb (unflat (firstn nb mid) n ++ reshaped (skipn nb mid) (skipn nc to2) gs2 b' c (skipn nc i)) = unflat (firstn nb mid) n).
  { rewrite firstn_app, L, Nat.sub_diag. simpl. rewrite app_nil_r. rewrite <- L at 1. apply firstn_all. }
  assert (N2 : skipn nb (unflat (firstn nb mid) n ++ reshaped (skipn nb mid) (skipn nc to2) gs2 b' c (skipn nc i)) =
    reshaped (skipn nb mid) (skipn nc to2) gs2 b' c (skipn nc i)).
  { rewrite skipn_app, L, Nat.sub_diag. rewrite <- L at 1. rewrite skipn_all. auto. }
  rewrite N1, N2. f_equal.
  - f_equal. destruct (Nat.eq_dec nb 0) as [Z0|Z0].
    + rewrite Z0 in *. simpl in G3. apply Nat.eqb_eq in G3. unfold n. rewrite G3. auto.
    + apply flat_unflat. intro D. apply (f_equal (@length Z)) in D. rewrite firstn_length in D. simpl in D. lia.
  - apply IH; auto; rewrite !skipn_length; auto.
Qed.
Lemma compose_ok m n c i : compose cval m n = Some c -> mapfun nv c i = mapfun nv m (mapfun nv n i) /\ to_of c = to_of n.
Proof.
  destruct m as [from to start fs|from to gs], n as [from2 to2 start2 fs2|from2 to2 gs2]; simpl; intros H; try discriminate.
  - destruct (is (nums_dec to from2) && _) eqn:B; [|discriminate]. apply andb_true_iff in B as [_ B].
    destruct (new_starts cval fs start2 0 start) as [s|] eqn:Es; [|discriminate]. destruct (new_factors cval fs fs2) as [f|] eqn:Ef; [|discriminate].
    inversion H; subst. simpl. split; auto. symmetry. apply compose_starts; auto.
  - destruct (is (nums_dec to from2) && _ && _ && _) eqn:B; [|discriminate]. apply andb_true_iff in B as [B B4].
    apply andb_true_iff in B as [B B3]. apply andb_true_iff in B as [B1 B2]. apply is_true in B1, B2. subst from2.
    inversion H; subst. simpl. split; auto. symmetry. apply compose_groups; rewrite ?map_length; auto.
Qed.
Lemma put_map_ok ms : forall m sp i, lands sp (m :: ms) i -> lands sp (put_map cval m ms) i /\ root (put_map cval m ms) i = root (m :: ms) i.
Proof.
  assert (Drop : forall l m sp i, nothing cval m = true -> lands sp (m :: l) i -> lands sp l i /\ root l i = root (m :: l) i).
  { intros l m sp i H L. assert (E : root l i = root (m :: l) i).
    { destruct L as [L1 L2]. symmetry. apply (nothing_ok m sp); auto. apply (lands_root _ _ _ L2). }
    split; auto. destruct L as [L1 L2]. rewrite <- E in L1. destruct l; [auto|]. destruct L2. split; auto. }
  assert (One : forall l m sp i, lands sp (m :: l) i -> lands sp (one_map m :: l) i /\ root (one_map m :: l) i = root (m :: l) i).
  { intros l m sp i [L1 L2]. assert (E : root (one_map m :: l) i = root (m :: l) i) by apply one_map_ok.
    split; auto. split; [rewrite E; auto | rewrite one_map_to; auto]. }
  induction ms as [|n ms IH]; intros m sp i L; cbn [put_map].
  - destruct (nothing cval m) eqn:E; [apply Drop | apply One]; auto.
  - destruct (compose cval m n) as [c|] eqn:E.
    + destruct (compose_ok m n c (root ms i) E) as [E1 E2].
      assert (Er : root (c :: ms) i = root (m :: n :: ms) i) by exact E1.
      assert (L' : lands sp (c :: ms) i).
      { destruct L as [L1 [L2 L3]]. split; [rewrite Er; auto | rewrite E2; auto]. }
      destruct (IH c sp i L') as [I1 I2]. split; auto. congruence.
    + destruct (nothing cval m) eqn:E'; [apply Drop | apply One]; auto.
Qed.
Lemma norm_ok ms : forall sp i, lands sp ms i -> lands sp (norm cval ms) i /\ root (norm cval ms) i = root ms i.
Proof.
  induction ms as [|m ms IH]; intros sp i L; auto. cbn [norm fold_right]. fold (norm cval ms).
  destruct L as [L1 L2]. destruct (IH _ _ L2) as [I1 I2].
  assert (L' : lands sp (m :: norm cval ms) i).
  { split; auto. change (root (m :: norm cval ms) i) with (mapfun nv m (root (norm cval ms) i)). rewrite I2. auto. }
  destruct (put_map_ok _ _ _ _ L') as [P1 P2]. split; auto. rewrite P2.
  change (mapfun nv m (root (norm cval ms) i) = root (m :: ms) i). rewrite I2. auto.
Qed.
Lemma one_chain_ok x y sp sp' i : one_chain cval x y = true -> lands sp x i -> lands sp' y i -> root x i = root y i.
Proof.
  unfold one_chain. intros H Lx Ly. apply orb_true_iff in H as [H|H]; apply is_true in H; [subst; auto|].
  destruct (norm_ok _ _ _ Lx) as [_ <-]. destruct (norm_ok _ _ _ Ly) as [_ <-]. rewrite H. auto.
Qed.
End Right.
