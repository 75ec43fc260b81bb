// The form that starts a chain: a policy, the task, where, and how far and how much.
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { PolicyReport } from '../../../src/core/chain/policy-report.ts'
import { useAct } from '../../data/act.ts'
import { useFilters } from '../../data/filters.ts'
import { usePolicies } from '../../data/policies.ts'
import { startChain } from '../../data/verbs.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Skeleton, Trouble } from '../../parts/states.tsx'
import { WorkDirField } from '../../parts/work-dir-field.tsx'
import { PolicyTiers } from './policy-tiers.tsx'

/** What the form begins with: nothing, or an earlier chain that is started again. */
export type ChainDraft = {
  readonly policy: string
  readonly prompt: string
  readonly workDir: string
  readonly maxTier: string
  readonly budgetUsd: string
  readonly dryRun: boolean
}

const EMPTY: ChainDraft = {
  policy: '',
  prompt: '',
  workDir: '',
  maxTier: '',
  budgetUsd: '',
  dryRun: false,
}

export function StartChain({ like = EMPTY }: { readonly like?: ChainDraft }) {
  const filters = useFilters()
  const { value: policies, error, refresh } = usePolicies()
  return (
    <Dialog title="Start a chain" onClose={() => filters.set({ start: undefined })}>
      {error && <Trouble error={error} retry={refresh} />}
      {!policies && !error && <Skeleton rows={3} />}
      {policies?.length === 0 && (
        <p>
          No policy has a name here. Add one under <code>policies</code> in the config file;{' '}
          <code>policies/ops.yaml</code> of the package is an example.
        </p>
      )}
      {policies && policies.length > 0 && <Form policies={policies} like={like} />}
    </Dialog>
  )
}

type FormProps = { readonly policies: readonly PolicyReport[]; readonly like: ChainDraft }

function Form({ policies, like }: FormProps) {
  const [draft, setDraft] = useState(like)
  const task = useRef<HTMLTextAreaElement>(null)
  // The dialog was opened before the policies were here, and so before this field was.
  useEffect(() => task.current?.focus(), [])
  const { act, isBusy } = useAct()
  const { route } = useLocation()
  const policy = policies.find(({ name }) => name === draft.policy) ?? policies[0]
  const set = (changes: Partial<ChainDraft>) => setDraft({ ...draft, ...changes })
  const whyNot = whyNotStart(draft, policy)
  const start = async () => {
    if (policy === undefined || whyNot !== null) return
    await act(async () => route(`/chains/${(await startChain(requestOf(draft, policy))).id}`))
  }
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault()
        void start()
      }}
    >
      <label class="field">
        <span>Task</span>
        <textarea
          ref={task}
          rows={3}
          required
          value={draft.prompt}
          onInput={event => set({ prompt: event.currentTarget.value })}
        />
      </label>
      <WorkDirField value={draft.workDir} onText={workDir => set({ workDir })} />
      <div class="form-row">
        <label class="field">
          <span>Policy</span>
          <select
            value={policy?.name}
            onChange={event => set({ policy: event.currentTarget.value, maxTier: '' })}
          >
            {policies.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Highest tier</span>
          <select
            value={draft.maxTier}
            onChange={event => set({ maxTier: event.currentTarget.value })}
          >
            <option value="">as the policy says</option>
            {policy?.tiers.slice(0, policy.maxTier).map(({ number, name }) => (
              <option key={number} value={number}>
                {number} {name}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          <span>Budget in dollars</span>
          <input
            type="number"
            min="0.01"
            step="0.01"
            placeholder={policy?.budgetUsd == null ? 'no limit' : String(policy.budgetUsd)}
            value={draft.budgetUsd}
            onInput={event => set({ budgetUsd: event.currentTarget.value })}
          />
        </label>
      </div>
      <label class="toggle">
        <input
          type="checkbox"
          checked={draft.dryRun}
          onChange={event => set({ dryRun: event.currentTarget.checked })}
        />
        Dry run: every tier only looks and says what it would do
      </label>
      {policy && <PolicyTiers policy={policy} />}
      <footer class="form-actions">
        <Button
          type="submit"
          kind="filled"
          scope="submit"
          whyNot={isBusy ? 'The chain is being started.' : whyNot}
        >
          Start
        </Button>
      </footer>
    </form>
  )
}

function whyNotStart({ prompt, workDir }: ChainDraft, policy: PolicyReport | undefined) {
  if (policy?.problem) return `This policy cannot be used: ${policy.problem}`
  if (prompt.trim() === '') return 'Say what the task is.'
  return workDir.trim() === '' ? 'Say in which directory the agents work.' : null
}

function requestOf(draft: ChainDraft, policy: PolicyReport) {
  const { prompt, workDir, maxTier, budgetUsd, dryRun } = draft
  return {
    policy: policy.name,
    prompt,
    workDir: workDir.trim(),
    dryRun,
    ...(maxTier !== '' && { maxTier: Number(maxTier) }),
    ...(budgetUsd !== '' && { budgetUsd: Number(budgetUsd) }),
  }
}
