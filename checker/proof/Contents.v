(* One run, and contents followed back in it. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Views Follow Latest Maps.
Import ListNotations.

Section Contents.
Context {nv : num -> Z} {cval : num -> option Z} {Consts : consts_hold nv cval} {V : Type} {op : ops V}.
Notation root := (root nv).
Notation inbox := (inbox nv).
Notation lands := (lands nv).
Notation elem := (elem nv V).
Notation result := (result nv V op).
Variables (t : trace) (ix : index) (mt : N -> mem V).
Hypothesis R : run nv V op t mt.
Hypothesis ix_ok : forall s time v, prev ix s time = Some v -> latest t s time v.

Lemma step_of k : (k < t_n t)%N -> exists st, get k (t_steps t) = Some st /\ exec nv V op t st (mt k) (mt (N.succ k)).
Proof.
  intros Hk. destruct R as (H & H' & _). destruct (get k (t_steps t)) as [st|] eqn:E.
  - exists st. split; [auto | apply H; auto].
  - exfalso. apply (H' k); auto.
Qed.
Lemma stays s lo hi : (lo <= hi)%N -> (hi <= t_n t)%N ->
  (forall k, (lo <= k)%N -> (k < hi)%N -> ~ stores t k s) -> forall c, mt hi s c = mt lo s c.
Proof.
  revert lo. induction hi using N.peano_ind; intros lo H1 H2 H3 c.
  - replace lo with 0%N by lia. auto.
  - destruct (N.eq_dec lo (N.succ hi)) as [->|]; auto.
    rewrite <- (IHhi lo); try lia; [|intros k Hk L; apply H3; lia].
    destruct (step_of hi) as (st & Hg & _ & F & _); [lia|]. apply F. intros w Hw [Es _].
    apply (H3 hi); try lia. exists st. split; auto. subst. apply in_map; auto.
Qed.
Lemma since s time k c : (time <= t_n t)%N -> latest t s time (Some k) -> mt time s c = mt (N.succ k) s c.
Proof.
  intros H (P1 & P2 & P3). apply stays; auto; [lia|]. intros j L L' S. specialize (P3 _ L' S). lia.
Qed.
Lemma version_ok s time v c : (time <= t_n t)%N -> version ix s time = Some v -> mt time s c = mt v s c.
Proof.
  intros H V1. unfold version in V1. destruct (prev ix s time) as [p|] eqn:P; [|discriminate]. apply ix_ok in P.
  destruct p as [p|]; inversion V1; subst.
  - apply since; auto.
  - apply stays; [lia | auto |]. intros k _ L. apply (P k L).
Qed.

Definition val (x : content) (i : list Z) : V :=
  match x with
  | C s time ch => mt time s (root ch i)
  | St k slot ch => match get k (t_steps t) with Some st => result st (mt k) slot (root ch i) | None => o_fill V op 0 0 end
  end.
Definition ok (x : content) (sh : list num) : Prop :=
  match x with
  | C s time ch => (time <= t_n t)%N /\ forall i, inbox sh i -> lands (shape_of t s) ch i
  | St k slot ch => (k < t_n t)%N /\ exists st w, get k (t_steps t) = Some st /\ nth_error (s_writes st) slot = Some w /\
      forall i, inbox sh i -> lands (v_sh w) ch i
  end.
Lemma in_bounds_of k st v : (k < t_n t)%N -> get k (t_steps t) = Some st -> In v (s_reads st ++ s_writes st) ->
  in_bounds nv t v.
Proof. intros Hk Hg Hv. destruct (step_of k Hk) as (st' & Hg' & B & _). rewrite Hg in Hg'. inversion Hg'; subst. auto. Qed.

(* an operand at what [ch] leads to *)
Lemma operand_ok k st r sh sh' ch : (k < t_n t)%N -> get k (t_steps t) = Some st -> In r (s_reads st) -> v_sh r = sh ->
  (forall i, inbox sh' i -> lands sh ch i) ->
  ok (C (v_st r) k (v_maps r ++ ch)) sh' /\
  forall i, val (C (v_st r) k (v_maps r ++ ch)) i = elem (mt k) r (root ch i).
Proof.
  intros Hk Hg Hr <- Hl. split.
  - simpl. split; [lia|]. intros i Hi. eapply lands_app; eauto.
    intros j Hj. eapply in_bounds_of; eauto. apply in_or_app; auto.
  - intros i. simpl. unfold Sem.elem. rewrite root_app. auto.
Qed.
Lemma source_ok k st slot w sh ch : (k < t_n t)%N -> get k (t_steps t) = Some st ->
  nth_error (s_writes st) slot = Some w -> (forall i, inbox sh i -> lands (v_sh w) ch i) ->
  ok (source st k slot ch) sh /\ forall i, val (source st k slot ch) i = result st (mt k) slot (root ch i).
Proof.
  intros Hk Hg Hw Hl. assert (D : ok (St k slot ch) sh /\ forall i, val (St k slot ch) i = result st (mt k) slot (root ch i)).
  { split; simpl; [|intros; rewrite Hg; auto]. split; auto. exists st, w. auto. }
  unfold source. destruct (s_kind st) eqn:K; auto. destruct (s_reads st) as [|r rs] eqn:Rd; auto. rewrite Hw.
  destruct (N.eqb (v_ty r) (v_ty w) && is (nums_dec (v_sh r) (v_sh w))) eqn:T; auto.
  apply andb_true_iff in T as [T1 T2]. apply is_true in T2.
  destruct (operand_ok k st r (v_sh w) sh ch) as [O1 O2]; auto. { rewrite Rd; left; auto. }
  split; auto. intros i. rewrite O2. unfold Sem.result. rewrite Hw, K, Rd, T1. auto.
Qed.
Lemma strip_ok p l r : strip p l = Some r -> l = p ++ r.
Proof.
  revert l; induction p; simpl; intros l H; [congruence|]. destruct l; [discriminate|].
  destruct (imap_dec a i); [|discriminate]. subst. f_equal; auto.
Qed.
Lemma find_hit_ok ws n s ch slot rest : find_hit t ws n s ch = Some (slot, rest) ->
  exists w, (n <= slot)%nat /\ nth_error ws (slot - n) = Some w /\ v_st w = s /\ fits_chk t w = true /\ ch = v_maps w ++ rest.
Proof.
  revert n; induction ws as [|w ws IH]; simpl; intros n H; [discriminate|].
  assert (G : find_hit t ws (S n) s ch = Some (slot, rest) -> exists w0, (n <= slot)%nat /\
    nth_error (w :: ws) (slot - n) = Some w0 /\ v_st w0 = s /\ fits_chk t w0 = true /\ ch = v_maps w0 ++ rest).
  { intros G. apply IH in G as (w' & L & Hn & E). exists w'. split; [lia|]. split; auto.
    replace (slot - n)%nat with (S (slot - S n)) by lia. auto. }
  destruct (N.eqb (v_st w) s && fits_chk t w) eqn:T; auto.
  destruct (strip (v_maps w) ch) eqn:D; auto. inversion H; subst. apply andb_true_iff in T as [T1 T2].
  apply N.eqb_eq in T1. exists w. split; auto. rewrite Nat.sub_diag. simpl. repeat split; auto. apply strip_ok; auto.
Qed.
Lemma back_ok x y sh : back cval t ix x = Some y -> ok x sh -> ok y sh /\ forall i, inbox sh i -> val x i = val y i.
Proof.
  destruct x as [s time ch|]; simpl; [|discriminate]. intros H [Ht Hl].
  destruct (prev ix s time) as [[k|]|] eqn:P; try discriminate. apply ix_ok in P.
  assert (Hk : (k < t_n t)%N) by (destruct P as (_ & P2 & _); lia).
  destruct (step_of k Hk) as (st & Hg & B & F & Cl). rewrite Hg in H.
  assert (E : forall c, mt time s c = mt (N.succ k) s c) by (intros; apply since; auto).
  destruct (find_hit t (s_writes st) 0 s ch) as [[slot rest]|] eqn:D.
  - apply guard_some in H as [Hc H]. inversion H; subst y; clear H.
    apply find_hit_ok in D as (w & _ & Hw & Es & Hf & ->). rewrite Nat.sub_0_r in Hw.
    apply is_true in Hf. apply (clean_ok t) in Hc; auto. specialize (Cl Hc).
    assert (Hl' : forall i, inbox sh i -> lands (v_sh w) rest i).
    { intros i Hi. rewrite <- Hf, Es. apply lands_app_end. auto. }
    destruct (source_ok k st slot w sh rest) as [S1 S2]; auto. split; auto. intros i Hi.
    rewrite S2, E, root_app. rewrite <- Es. apply Cl; auto. eapply lands_root; eauto.
  - apply guard_some in H as [Hm H]. inversion H; subst y; clear H. split; [split; [lia | auto]|]. intros i Hi.
    rewrite E. apply F. intros w Hw [Es (j & Hj & Er)]. rewrite forallb_forall in Hm. specialize (Hm _ Hw).
    apply orb_true_iff in Hm as [Hm|Hm].
    + apply negb_true_iff, N.eqb_neq in Hm. congruence.
    + assert (Bw : in_bounds nv t w) by (apply B, in_or_app; auto). eapply maps_apart_ok; eauto.
Qed.
Lemma walk_ok fuel test x sh : walk cval t ix fuel test x = true -> ok x sh ->
  exists y, test y = true /\ ok y sh /\ forall i, inbox sh i -> val x i = val y i.
Proof.
  revert x; induction fuel; simpl; intros x H O; apply orb_true_iff in H as [H|H]; try discriminate; eauto.
  destruct (back cval t ix x) as [z|] eqn:E; [|discriminate]. destruct (back_ok _ _ _ E O) as [O' V'].
  destruct (IHfuel _ H O') as (y & T & O'' & V''). exists y. split; auto. split; auto. intros i Hi. rewrite V', V''; auto.
Qed.
Lemma origin_ok fuel x sh : ok x sh -> ok (origin cval t ix fuel x) sh /\
  forall i, inbox sh i -> val x i = val (origin cval t ix fuel x) i.
Proof.
  revert x; induction fuel; simpl; intros x O; auto. destruct (back cval t ix x) as [z|] eqn:E; auto.
  destruct (back_ok _ _ _ E O) as [O' V']. destruct (IHfuel _ O') as [O'' V'']. split; auto. intros i Hi. rewrite V', V''; auto.
Qed.
End Contents.
