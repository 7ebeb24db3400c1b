(* The theorem of Arenas.v is not about nothing: whatever lies in the arenas at the beginning, a trace whose places are right
   and whose views stay in their storages has a run of arenas, if what its operators make has the bits of an element. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem Maps Progress Arenas.
Import ListNotations.

Section Exist.
Variables (nv : num -> Z) (t : trace) (B : Type) (op : ops (list B)).
Notation mem := (mem (list B)).
Notation arena := (arena B).
Definition owner (st : N) : option placement :=
  find (fun p => match p_storage p with Some s => N.eqb s st | None => false end) (t_places t).
Definition seen (a : arena) (u : mem) : mem := fun st c => match owner st with Some p => load nv t B a p st c | None => u st c end.
Definition placed_elements : list (placement * N * list Z) :=
  flat_map (fun p => match p_storage p with Some st => map (pair (p, st)) (box (map nv (shape_of t st))) | None => [] end) (t_places t).
Definition covers (s : step) (x : N) (z : Z) (e : placement * N * list Z) : bool :=
  let '(p, st, c) := e in let at_ := address nv t p st c in
  N.eqb (p_arena p) x && Z.leb at_ z && Z.ltb z (at_ + bits t st) &&
  match find_cell nv (s_writes s) 0 st c with Some _ => true | None => false end.
Definition put (s : step) (a : arena) (m : mem) : arena := fun x z =>
  match find (covers s x z) placed_elements with
  | Some (p, st, c) => nth (Z.to_nat (z - address nv t p st c)) (m st c) (a x z)
  | None => a x z
  end.
Definition sized (m : mem) : Prop := forall st c, length (m st c) = Z.to_nat (bits t st).
Definition makes_bits : Prop := forall k s m b w i, get k (t_steps t) = Some s -> sized m -> nth_error (s_writes s) b = Some w ->
  inbox nv (v_sh w) i -> length (result nv (list B) op s m b i) = Z.to_nat (bits t (v_st w)).

Lemma in_placed p st c : In (p, st, c) placed_elements <-> placed t p st /\ inbox nv (shape_of t st) c.
Proof.
  unfold placed_elements, placed. rewrite in_flat_map. split.
  - intros (q & I & H). destruct (p_storage q) as [x|] eqn:E; [|destruct H]. apply in_map_iff in H as (d & H & Hd). inversion H; subst. auto.
  - intros [[I E] Hc]. exists p. split; auto. rewrite E. apply in_map. auto.
Qed.
Lemma covers_ok s x z p st c : covers s x z (p, st, c) = true <-> p_arena p = x /\
  (address nv t p st c <= z < address nv t p st c + bits t st)%Z /\ exists w, In w (s_writes s) /\ holds_cell nv w st c.
Proof.
  unfold covers. cbv zeta. rewrite !andb_true_iff, N.eqb_eq, Z.leb_le, Z.ltb_lt. split.
  - intros [[[H1 H2] H3] H4]. repeat split; auto. destruct (find_cell _ _ _ _ _) as [[b i]|] eqn:F; [|discriminate].
    apply find_some in F as [_ (w & Hb & E & Hi & R)]. exists w. split; [eapply nth_error_In; eauto|]. split; eauto.
  - intros (H1 & [H2 H3] & w & Hw & Hc). repeat split; auto. destruct (find_cell _ _ _ _ _) eqn:F; auto.
    exfalso. eapply find_none; eauto.
Qed.
Hypothesis A : arranged nv t.
Lemma one_element k s p q sp sq w x c d z : (k < t_n t)%N -> get k (t_steps t) = Some s -> placed t p sp -> placed t q sq ->
  In w (s_writes s) -> In x (s_writes s) -> v_st w = sp -> v_st x = sq -> inbox nv (shape_of t sp) c -> inbox nv (shape_of t sq) d ->
  p_arena p = p_arena q -> (address nv t p sp c <= z < address nv t p sp c + bits t sp)%Z ->
  (address nv t q sq d <= z < address nv t q sq d + bits t sq)%Z -> (p, sp, c) = (q, sq, d).
Proof.
  intros Hk Hs Pp Pq Hw Hx Ew Ex Hc Hd Ea Zc Zd.
  assert (Tp : touches s sp) by (exists w; split; auto; apply in_or_app; auto).
  assert (Tq : touches s sq) by (exists x; split; auto; apply in_or_app; auto).
  pose proof (lives nv t A p sp k s Pp Hk Hs Tp) as Lp. pose proof (lives nv t A q sq k s Pq Hk Hs Tq) as Lq.
  assert (No : forall p q sp sq w, placed t p sp -> placed t q sq -> touches s sp -> touches s sq -> In w (s_writes s) -> v_st w = sp ->
    (p_first p <= s_origin s < p_last p)%N -> (p_first q <= s_origin s < p_last q)%N -> hands_over nv t p q -> False).
  { clear - Hk Hs. intros p q sp sq w [_ Ep] [_ Eq] Tp Tq Hw Ew Lp Lq (E & H).
    repeat match type of H with _ /\ _ => destruct H as [_ H] end. destruct H as (sp' & sq' & E1 & E2 & _ & H).
    rewrite Ep in E1. inversion E1; subst sp'. rewrite Eq in E2. inversion E2; subst sq'.
    destruct (H k k s s Hk Hk Hs Hs ltac:(lia) ltac:(lia) Tp Tq) as [L|(_ & L & _)]; [lia | apply (L w Hw); auto]. }
  pose proof A as ((W & _) & G & _). destruct (G _ _ Pp) as [Gp Fp], (G _ _ Pq) as [Gq Fq].
  destruct (get sp (t_st t)) as [y|] eqn:Ey; [|congruence]. destruct (get sq (t_st t)) as [y'|] eqn:Ey'; [|congruence].
  destruct (placed_twice nv t A p q sp sq Pp Pq) as [E|P].
  - subst q. destruct Pp as [Ip Ep], Pq as [_ Eq]. assert (Es : sq = sp) by congruence. rewrite Es in Hd, Zd |- *.
    destruct (list_eq_dec Z.eq_dec c d) as [->|Ne]; [congruence|]. exfalso.
    destruct (elements_apart nv t p sp c d ltac:(lia) Fp Hc Hd Ne); lia.
  - exfalso. destruct (P Ea) as [H|[H|H]]; [exists (s_origin s); auto | | |].
    + destruct Pp as [Ip Ep], Pq as [Iq Eq]. destruct (apart_bytes nv t p q sp sq y y' c d H (W p Ip) (W q Iq) Ep Eq Ey Ey' Fp Fq Hc Hd); lia.
    + apply (No p q sp sq w); auto.
    + apply (No q p sq sp x); auto.
Qed.
Lemma put_there k s a m w p c : (k < t_n t)%N -> get k (t_steps t) = Some s -> (forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) ->
  sized m -> In w (s_writes s) -> placed t p (v_st w) -> holds_cell nv w (v_st w) c -> load nv t B (put s a m) p (v_st w) c = m (v_st w) c.
Proof.
  intros Hk Hs Bo Sz Hw Pp Hc.
  assert (In_box : forall x st d, In x (s_writes s) -> holds_cell nv x st d -> inbox nv (shape_of t st) d).
  { intros x st d Hx (<- & i & Hi & <-). apply lands_root, Bo; auto. apply in_or_app. auto. }
  unfold load, range. rewrite map_map. set (at_ := address nv t p (v_st w) c).
  destruct (m (v_st w) c) as [|b l] eqn:El; pose proof (Sz (v_st w) c) as Len; rewrite El in Len; [rewrite <- Len; auto|].
  rewrite <- Len, <- (all_in_turn b (b :: l)) at 1. rewrite (all_in_turn b (b :: l)). rewrite <- (all_in_turn b (b :: l)) at 2.
  apply map_ext_in. intros n Hn. apply in_seq in Hn. unfold put.
  assert (Zc : (at_ <= at_ + Z.of_nat n < at_ + bits t (v_st w))%Z) by lia.
  destruct (find _ _) as [[[q sq] d]|] eqn:F.
  - apply List.find_some in F as [I F]. apply in_placed in I as [Pq Hd]. apply covers_ok in F as (Ea & Zd & x & Hx & Hxd).
    assert (E : (p, v_st w, c) = (q, sq, d)) by (apply (one_element k s p q _ sq w x c d (at_ + Z.of_nat n)%Z); eauto; apply Hxd).
    inversion E; subst q sq d. rewrite El. fold at_. replace (Z.to_nat (at_ + Z.of_nat n - at_)) with n by lia. apply nth_indep. lia.
  - exfalso. assert (I : In (p, v_st w, c) placed_elements) by (apply in_placed; eauto). pose proof (List.find_none _ _ F _ I) as H.
    assert (T : covers s (p_arena p) (at_ + Z.of_nat n)%Z (p, v_st w, c) = true) by (apply covers_ok; eauto). congruence.
Qed.
Lemma put_keeps s a m x z : ~ hit nv t s x z -> put s a m x z = a x z.
Proof.
  intros H. unfold put. destruct (find _ _) as [[[p st] c]|] eqn:F; auto. exfalso. apply H.
  apply List.find_some in F as [I F]. apply in_placed in I as [P _]. apply covers_ok in F as (Ea & Zc & w & Hw & Hc).
  destruct Hc as [<- Hc]. exists p, w, c. split; auto. split; auto. split; auto. split; auto. split; auto.
Qed.
Hypothesis One : forall p q st, placed t p st -> placed t q st -> p = q.
Lemma seen_placed a u p st c : placed t p st -> seen a u st c = load nv t B a p st c.
Proof.
  intros P. unfold seen, owner. destruct (find _ _) as [q|] eqn:F.
  - apply List.find_some in F as [I E]. destruct (p_storage q) as [x|] eqn:Eq; [|discriminate]. apply N.eqb_eq in E. subst x.
    rewrite (One p q st); auto. split; auto.
  - destruct P as [I E]. pose proof (List.find_none _ _ F p I) as H. simpl in H. rewrite E, N.eqb_refl in H. discriminate.
Qed.
Lemma seen_loose a u st c : loose t st -> seen a u st c = u st c.
Proof.
  intros L. unfold seen, owner. destruct (find _ _) as [q|] eqn:F; auto. apply List.find_some in F as [I E].
  destruct (p_storage q) as [x|] eqn:Eq; [|discriminate]. apply N.eqb_eq in E. subst x. exfalso. apply (L q). split; auto.
Qed.
Lemma seen_sized a u : sized u -> sized (seen a u).
Proof. intros S st c. unfold seen. destruct (owner st); auto. unfold load, range. rewrite !map_length, seq_length. auto. Qed.
Lemma next_sized k s m : makes_bits -> get k (t_steps t) = Some s -> sized m -> sized (next nv (list B) op s m).
Proof.
  intros M Hs S st c. unfold next. destruct (find_cell _ _ _ _ _) as [[b i]|] eqn:F; auto.
  apply find_some in F as [_ (w & Hb & <- & Hi & _)]. rewrite Nat.sub_0_r in Hb. eauto.
Qed.
Theorem arena_runs_exist a0 u0 : makes_bits -> sized u0 ->
  (forall k, (k < t_n t)%N -> exists s, get k (t_steps t) = Some s /\ forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) ->
  exists a u, arena_run nv t B op a u /\ a 0%N = a0 /\ u 0%N = u0.
Proof.
  intros M S0 Hs. set (f := fun x : N * (arena * mem) => let '(k, (a, u)) := x in
    (N.succ k, match get k (t_steps t) with Some s => let m := next nv (list B) op s (seen a u) in (put s a m, m) | None => (a, u) end)).
  set (at_ := fun k => N.iter k f (0%N, (a0, u0))).
  assert (E : forall k, fst (at_ k) = k).
  { intro k. induction k as [|k IH] using N.peano_ind; auto. unfold at_ in *. rewrite N.iter_succ. destruct (N.iter k f _) as [j [a u]].
    simpl in *. congruence. }
  assert (Nx : forall k, snd (at_ (N.succ k)) = match get k (t_steps t) with
    | Some s => let m := next nv (list B) op s (seen (fst (snd (at_ k))) (snd (snd (at_ k)))) in (put s (fst (snd (at_ k))) m, m)
    | None => snd (at_ k) end).
  { intro k. pose proof (E k) as Ek. unfold at_ in *. rewrite N.iter_succ. destruct (N.iter k f _) as [j [a u]]. simpl in *. subst j.
    destruct (get k (t_steps t)); auto. }
  assert (Sz : forall k, sized (snd (snd (at_ k)))).
  { intro k. induction k as [|k IH] using N.peano_ind; [exact S0|]. rewrite Nx. destruct (get k (t_steps t)) as [s|] eqn:G; auto.
    simpl. eapply next_sized; eauto. apply seen_sized. auto. }
  exists (fun k => fst (snd (at_ k))), (fun k => snd (snd (at_ k))). split; [|split; reflexivity]. split.
  - intros k s Hk G. rewrite Nx, G. cbv zeta. cbn [fst snd]. destruct (Hs k Hk) as (s' & G' & Bo). rewrite G in G'. inversion G'; subst s'.
    exists (seen (fst (snd (at_ k))) (snd (snd (at_ k)))), (next nv (list B) op s (seen (fst (snd (at_ k))) (snd (snd (at_ k))))).
    split; [intros; apply seen_placed; auto|]. split; [intros; apply seen_loose; auto|]. split; [apply step_runs; auto|]. split; auto.
    split; [intros; eapply put_there; eauto; eapply next_sized; eauto; apply seen_sized; auto|]. intros. apply put_keeps. auto.
  - intros k Hk G. destruct (Hs k Hk) as (s & G' & _). congruence.
Qed.
End Exist.
