// One turn: the prompt, what the agent did and answered, how it continued and what it cost; and what one can do with it.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { shortOf } from '../../../src/core/decide/explain.ts'
import { OPEN_STATUSES, type Run } from '../../../src/core/run/run.ts'
import { Markdown } from '../../content/markdown.tsx'
import { ToolCalls } from '../../content/tool-calls.tsx'
import { sentence, useAct } from '../../data/act.ts'
import { reprise } from '../../data/client.ts'
import { retryTurn } from '../../data/verbs.ts'
import { duration, estimate, money } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { DecisionChip } from '../../parts/decision-chip.tsx'
import { Icon } from '../../parts/icon.tsx'
import { Status } from '../../parts/status.tsx'
import { Time } from '../../parts/time.tsx'
import { toast } from '../../parts/toasts.tsx'
import type { ShownTurn, Stroke } from '../../pictures/turns.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { EditBox } from './edit-box.tsx'
import { RunningAnswer } from './running-answer.tsx'
import { VersionSwitch } from './version-switch.tsx'

type TurnProps = {
  readonly threadId: string
  readonly turn: ShownTurn
  /** The stroke into the next turn; `null` for the last. */
  readonly next: Stroke | null
  readonly isSelected: boolean
  readonly onSelect: () => void
}

export function TurnView({ threadId, turn, next, isSelected, onSelect }: TurnProps) {
  const { prompt, answers, run } = turn
  const [isEditing, edit] = useState(false)
  const isGoing = run !== null && OPEN_STATUSES.includes(run.status)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: J and K select by keyboard.
    <li class={isSelected ? 'turn selected' : 'turn'} onClick={onSelect}>
      <span class={`turn-line to-${next ?? 'end'}`} aria-hidden="true">
        <Mark run={run} isEditing={isEditing} />
      </span>
      <div class="turn-body">
        {isEditing && prompt !== null ? (
          <EditBox threadId={threadId} message={prompt} onClose={() => edit(false)} />
        ) : (
          <>
            <header class="turn-prompt">
              <p>{prompt?.text ?? 'The conversation began with an answer.'}</p>
              {prompt?.versions && <VersionSwitch threadId={threadId} versions={prompt.versions} />}
              {prompt !== null && (
                <span class="meta">
                  <Time at={prompt.createdAt} as="clock" />
                </span>
              )}
            </header>
            {answers.map(answer => (
              <div key={answer.id} class="answer">
                <ToolCalls calls={answer.tools} />
                <Markdown text={answer.text} />
                {answer.interrupted && <p class="meta warn">The answer was interrupted here.</p>}
              </div>
            ))}
            {isGoing && <RunningAnswer run={run} isSelected={isSelected} />}
            <footer class="turn-foot">
              <RunLine run={run} />
              {prompt !== null && (
                <TurnActions
                  threadId={threadId}
                  turn={turn}
                  isSelected={isSelected}
                  onEdit={() => edit(true)}
                />
              )}
            </footer>
          </>
        )}
      </div>
    </li>
  )
}

/** What was decided; a pencil while the prompt is edited, a page for what was said elsewhere. */
function Mark({ run, isEditing }: Pick<ShownTurn, 'run'> & { readonly isEditing: boolean }) {
  const action = run?.decision?.action
  const icon = isEditing ? 'edit' : (action ?? (run === null ? 'read' : 'queued'))
  return (
    <span class={`turn-mark ${action ?? (run === null ? 'muted' : 'wait')}`}>
      <Icon name={icon} />
    </span>
  )
}

function RunLine({ run }: { readonly run: Run | null }) {
  if (run === null) return <span class="meta">no run in this thread</span>
  const { decision, durationMs, costUsd, savings, failure } = run
  return (
    <p class="run-line meta">
      {decision && (
        <a href={`?run=${run.id}`} title="Why?">
          <DecisionChip action={decision.action} />
        </a>
      )}
      {run.status !== 'completed' && run.endedAt !== null && <Status status={run.status} />}
      {durationMs !== null && <span>{duration(durationMs)}</span>}
      {costUsd !== null && <span>{money(costUsd)}</span>}
      {savings !== null && savings.savedUsd > 0 && (
        <span title="An estimate">saved {estimate(savings.savedUsd, 'about ')}</span>
      )}
      {decision && decision.action !== 'resume' && <span>{shortOf(decision)}</span>}
      {failure && (
        <span class="bad">
          {sentence(failure.message)} {failure.hint}
        </span>
      )}
    </p>
  )
}

type ActionProps = Pick<TurnProps, 'threadId' | 'turn' | 'isSelected'> & {
  readonly onEdit: () => void
}

function TurnActions({ threadId, turn, isSelected, onEdit }: ActionProps) {
  const { act } = useAct()
  const { route } = useLocation()
  const promptId = turn.prompt?.id ?? ''
  const lastId = turn.answers.at(-1)?.id ?? promptId
  const retry = () => void act(() => retryTurn({ threadId, messageId: promptId }), 'Asked again.')
  const fork = () =>
    void act(async () => {
      const thread = await reprise.threads.get(threadId)
      route(`/threads/${(await thread.fork({ at: lastId })).id}`)
    }, 'Forked: this is the new thread.')
  const bringBack = () =>
    void act(async () => (await reprise.threads.get(threadId)).select(lastId), 'It is back.')
  const drop = () =>
    void act(async () => {
      await (await reprise.threads.get(threadId)).truncate(promptId)
      toast({ kind: 'ok', text: 'Cut off here.', undo: bringBack })
    })
  useShortcut('e', 'Edit the prompt', isSelected ? onEdit : null)
  useShortcut('r', 'Ask again', isSelected ? retry : null)
  useShortcut('f', 'Fork here', isSelected ? fork : null)
  const keys = (key: string) => (isSelected ? { keys: key } : {})
  return (
    <span class="turn-actions">
      <Button kind="quiet" scope="submit" onClick={onEdit} {...keys('E')}>
        <Icon name="edit" />
        <span class="act-word">Edit</span>
      </Button>
      <Button kind="quiet" scope="submit" onClick={retry} {...keys('R')}>
        <Icon name="retry" />
        <span class="act-word">Retry</span>
      </Button>
      <Button kind="quiet" scope="submit" onClick={fork} {...keys('F')}>
        <Icon name="fork" />
        <span class="act-word">Fork here</span>
      </Button>
      <Button kind="quiet" scope="submit" onClick={drop}>
        <Icon name="no" />
        <span class="act-word">Cut off</span>
      </Button>
    </span>
  )
}
