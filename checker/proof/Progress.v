(* The theorem is not about nothing: whatever the contents at the beginning, a trace whose views stay in their
   storages has a run. *)
Require Import List ZArith NArith Bool Lia FMapPositive.
From NC Require Import Sem.
Import ListNotations.
Section Progress.
Variables (nv : num -> Z) (V : Type) (op : ops V).
Fixpoint find_cell (ws : list view) (slot : nat) (s : N) (c : list Z) : option (nat * list Z) :=
  match ws with
  | [] => None
  | w :: r =>
    if N.eqb (v_st w) s then
      match find (fun i => if list_eq_dec Z.eq_dec (root nv (v_maps w) i) c then true else false) (box (map nv (v_sh w))) with
      | Some i => Some (slot, i)
      | None => find_cell r (S slot) s c
      end
    else find_cell r (S slot) s c
  end.
Lemma find_none ws : forall slot s c, find_cell ws slot s c = None -> forall w, In w ws -> ~ holds_cell nv w s c.
Proof.
  induction ws as [|x ws IH]; simpl; intros slot s c H w Hw; [contradiction|]. intros [E (i & Hi & R)].
  destruct Hw as [<-|Hw].
  - rewrite E, N.eqb_refl in H. destruct (find _ _) eqn:F; [discriminate|].
    pose proof (find_none _ _ F i Hi) as G. simpl in G. destruct (list_eq_dec Z.eq_dec _ _); [discriminate | auto].
  - assert (find_cell ws (S slot) s c = None) by (destruct (N.eqb (v_st x) s); auto; destruct (find _ _); [discriminate | auto]).
    apply (IH _ _ _ H0 w Hw). split; auto. exists i; auto.
Qed.
Lemma find_some ws : forall slot s c k i, find_cell ws slot s c = Some (k, i) ->
  (slot <= k)%nat /\ exists w, nth_error ws (k - slot) = Some w /\ v_st w = s /\ inbox nv (v_sh w) i /\ root nv (v_maps w) i = c.
Proof.
  induction ws as [|x ws IH]; simpl; intros slot s c k i H; [discriminate|].
  assert (G : find_cell ws (S slot) s c = Some (k, i) -> (slot <= k)%nat /\ exists w, nth_error (x :: ws) (k - slot) = Some w /\
     v_st w = s /\ inbox nv (v_sh w) i /\ root nv (v_maps w) i = c).
  { intros G. apply IH in G as [L (w & Hn & R)]. split; [lia|]. exists w. split; auto.
    replace (k - slot)%nat with (S (k - S slot)) by lia. auto. }
  destruct (N.eqb_spec (v_st x) s); auto. destruct (find _ _) eqn:F; auto. inversion H; subst.
  apply find_some in F as [F1 F2]. destruct (list_eq_dec Z.eq_dec _ _); [|discriminate].
  split; auto. exists x. rewrite Nat.sub_diag. simpl. auto.
Qed.
Definition next (s : step) (m : mem V) : mem V := fun st c =>
  match find_cell (s_writes s) 0 st c with Some (k, i) => result nv V op s m k i | None => m st c end.
Lemma step_runs t s m : (forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) -> exec nv V op t s m (next s m).
Proof.
  intros B. split; auto. split.
  - intros st c H. unfold next. destruct (find_cell _ _ _ _) as [[k i]|] eqn:F; auto.
    apply find_some in F as [_ (w & Hn & E & Hi & R)]. exfalso. apply (H w).
    + eapply nth_error_In; eauto.
    + split; auto. exists i; auto.
  - intros (Inj & Ap & _) slot w i Hw Hi. unfold next. destruct (find_cell _ _ _ _) as [[k j]|] eqn:F.
    + apply find_some in F as [_ (w' & Hn & E & Hj & R)]. rewrite Nat.sub_0_r in Hn. destruct (Nat.eq_dec k slot) as [->|D].
      * rewrite Hw in Hn. inversion Hn; subst. f_equal. apply (Inj w'); auto. eapply nth_error_In; eauto.
      * exfalso. apply (Ap _ _ _ _ Hn Hw D (v_st w) (root nv (v_maps w) i)). split; split; auto; [exists j | exists i]; auto.
    + exfalso. apply (find_none _ _ _ _ F w); [eapply nth_error_In; eauto|]. split; auto. exists i; auto.
Qed.
Theorem runs_exist t m0 :
  (forall k, (k < t_n t)%N -> exists s, get k (t_steps t) = Some s /\ forall v, In v (s_reads s ++ s_writes s) -> in_bounds nv t v) ->
  (forall o v, In o (t_out t) -> o_view o = Some v -> in_bounds nv t v) ->
  exists mt, run nv V op t mt /\ mt 0%N = m0.
Proof.
  intros Hs Ho.
  set (f := fun p : N * mem V => (N.succ (fst p), match get (fst p) (t_steps t) with Some s => next s (snd p) | None => snd p end)).
  assert (E : forall k, fst (N.iter k f (0%N, m0)) = k).
  { intro k. induction k using N.peano_ind; auto. rewrite N.iter_succ. simpl. congruence. }
  exists (fun k => snd (N.iter k f (0%N, m0))). split; [|reflexivity]. split; [|split; auto].
  - intros k s Hk Hg. rewrite N.iter_succ. unfold f at 2. simpl. rewrite E, Hg.
    destruct (Hs k Hk) as (s' & Hg' & B). rewrite Hg in Hg'. inversion Hg'; subst. apply step_runs; auto.
  - intros k Hk Hn. destruct (Hs k Hk) as (s & Hg & _). congruence.
Qed.
End Progress.

