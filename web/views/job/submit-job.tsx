// The form that submits a job: the task, where, who does it, and its limits.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { JobRequest } from '../../../src/api.ts'
import { DEFAULT_JOB_POLICY } from '../../../src/core/job/job-policy.ts'
import { useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { useConfiguredAgents } from '../../data/configured-agents.ts'
import { useFilters } from '../../data/filters.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { WorkDirField } from '../../parts/work-dir-field.tsx'

const MINUTE_MS = 60_000

const EMPTY = {
  prompt: '',
  workDir: '',
  agent: '',
  model: '',
  minutes: '',
  maxAttempts: '',
  budgetUsd: '',
  concurrencyKey: '',
  cron: '',
}

type Draft = typeof EMPTY

export function SubmitJob() {
  const filters = useFilters()
  return (
    <Dialog title="Submit a job" onClose={() => filters.set({ submit: undefined })}>
      <Form />
    </Dialog>
  )
}

function Form() {
  const [draft, setDraft] = useState(EMPTY)
  const { act, isBusy } = useAct()
  const { route } = useLocation()
  const agents = useConfiguredAgents()
  const set = (name: keyof Draft) => (value: string) => setDraft({ ...draft, [name]: value })
  const whyNot = whyNotSubmit(draft)
  const submit = async () => {
    if (whyNot !== null) return
    await act(async () => route(`/jobs/${(await reprise.jobs.submit(requestOf(draft))).id}`))
  }
  return (
    <form
      class="stack"
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="field">
        <span>Task</span>
        <textarea
          rows={3}
          required
          value={draft.prompt}
          onInput={event => set('prompt')(event.currentTarget.value)}
        />
      </label>
      <WorkDirField value={draft.workDir} onText={set('workDir')} />
      <div class="form-row">
        <label class="field">
          <span>Agent</span>
          <select value={draft.agent} onChange={event => set('agent')(event.currentTarget.value)}>
            <option value="">default</option>
            {agents.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Field label="Model" placeholder="of the agent" value={draft.model} onText={set('model')} />
        <Field
          label="Key: one at a time"
          placeholder="none"
          value={draft.concurrencyKey}
          onText={set('concurrencyKey')}
        />
      </div>
      <div class="form-row">
        <Field
          label="Minutes per attempt"
          type="number"
          placeholder={String(DEFAULT_JOB_POLICY.timeoutMs / MINUTE_MS)}
          value={draft.minutes}
          onText={set('minutes')}
        />
        <Field
          label="Attempts that count"
          type="number"
          placeholder={String(DEFAULT_JOB_POLICY.maxAttempts)}
          value={draft.maxAttempts}
          onText={set('maxAttempts')}
        />
        <Field
          label="Budget in dollars"
          type="number"
          placeholder="no limit"
          value={draft.budgetUsd}
          onText={set('budgetUsd')}
        />
      </div>
      <Field
        label="Repeat, as a cron expression"
        placeholder="once; such as 0 7 * * 1-5"
        value={draft.cron}
        onText={set('cron')}
      />
      <footer class="form-actions">
        <Button
          type="submit"
          kind="filled"
          scope="submit"
          whyNot={isBusy ? 'The job is being submitted.' : whyNot}
        >
          Submit
        </Button>
        <span class="meta">
          Nobody is there to answer: edits are accepted, everything else needs a rule.
        </span>
      </footer>
    </form>
  )
}

function whyNotSubmit({ prompt, workDir }: Draft): string | null {
  if (prompt.trim() === '') return 'Say what the task is.'
  return workDir.trim() === '' ? 'Say in which directory the agent works.' : null
}

function requestOf(draft: Draft): JobRequest {
  const { prompt, workDir, agent, model, minutes, maxAttempts, budgetUsd } = draft
  return {
    prompt,
    workDir: workDir.trim(),
    ...(agent !== '' && { agent }),
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(minutes !== '' && { timeoutMs: Number(minutes) * MINUTE_MS }),
    ...(maxAttempts !== '' && { maxAttempts: Number(maxAttempts) }),
    ...(budgetUsd !== '' && { budgetUsd: Number(budgetUsd) }),
    ...(draft.concurrencyKey.trim() !== '' && { concurrencyKey: draft.concurrencyKey.trim() }),
    ...(draft.cron.trim() !== '' && { schedule: draft.cron.trim() }),
  }
}
