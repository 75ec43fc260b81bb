// The composer: the next message, who answers it and how, and the price before it is sent.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ThreadDetails, TurnOptions } from '../../../src/api.ts'
import type { Carry } from '../../../src/core/chain/carry.ts'
import { OPEN_STATUSES } from '../../../src/core/run/run.ts'
import { useDraft } from '../../browser/drafts.ts'
import { useAct } from '../../data/act.ts'
import { useConfiguredAgents } from '../../data/configured-agents.ts'
import { preWarmTurn, sendTurn } from '../../data/verbs.ts'
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'
import { CarryChoice, whyNotCarried } from './carry-choice.tsx'
import { PriceLine } from './price-line.tsx'
import { usePreview } from './use-preview.ts'

const MODES = ['default', 'acceptEdits', 'plan', 'bypassPermissions']
const MOST_ATTACHED = 200_000

type ComposerProps = { readonly thread: ThreadDetails; readonly onSent: () => void }

export function Composer({ thread, onSent }: ComposerProps) {
  const [text, setText] = useDraft(thread.id)
  const [agent, setAgent] = useState('')
  const [model, setModel] = useState('')
  const [mode, setMode] = useState('')
  const [carry, setCarry] = useState<Carry | ''>('')
  const [isFresh, setFresh] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const { act, isBusy } = useAct()
  const agents = useConfiguredAgents()
  const asked = agents.find(({ name }) => name === (agent || thread.agent))
  const isCarried = carry !== '' && whyNotCarried(carry, asked) === null
  const options: TurnOptions = {
    ...(agent !== '' && { agent }),
    ...(model !== '' && { model }),
    ...(mode !== '' && { permissionMode: mode }),
    ...(isCarried && { carry }),
    ...(isFresh && { freshSession: true }),
  }
  /** Ends the process that waits for this message. */
  const giveBack = useRef<(() => void) | null>(null)
  const endPreWarm = () => {
    giveBack.current?.()
    giveBack.current = null
  }
  useEffect(() => endPreWarm, [thread.id])
  const previewed = usePreview(thread.id, { ...options, prompt: text })
  useShortcut('c', 'Write a message', () => field.current?.focus())
  const isGoing = thread.runs.some(({ status }) => OPEN_STATUSES.includes(status))
  const send = async () => {
    if (text.trim() === '') return
    const isSent = await act(() => sendTurn(thread.id, { ...options, prompt: text }))
    if (!isSent) return
    giveBack.current = null
    setText('')
    setCarry('')
    setFresh(false)
    onSent()
  }
  const write = (words: string) => {
    if (text === '' && words !== '' && !isGoing && !isFresh)
      giveBack.current = preWarmTurn(thread.id, options)
    if (words === '') endPreWarm()
    setText(words)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void send()
  }
  return (
    <form
      class="composer"
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <textarea
        ref={field}
        rows={Math.min(10, text.split('\n').length)}
        aria-label="Next message"
        placeholder={isGoing ? 'Next message; it is queued while a run goes' : 'Next message'}
        value={text}
        onInput={event => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div class="composer-bar">
        <select
          class="composer-agent"
          aria-label="Agent"
          value={agent}
          onChange={event => setAgent(event.currentTarget.value)}
        >
          <option value="">{thread.agent}</option>
          {agents
            .filter(({ name }) => name !== thread.agent)
            .map(({ name, problem }) => (
              <option key={name} value={name} disabled={problem !== null}>
                {name}
              </option>
            ))}
        </select>
        <input
          class="composer-wide"
          type="text"
          aria-label="Model"
          placeholder="model: default"
          value={model}
          onInput={event => setModel(event.currentTarget.value)}
        />
        <select
          class="composer-wide"
          aria-label="Permissions"
          value={mode}
          onChange={event => setMode(event.currentTarget.value)}
        >
          <option value="">permissions: default</option>
          {MODES.map(name => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
        <CarryChoice
          carry={isCarried ? carry : ''}
          agent={asked}
          isFirst={thread.messages.length === 0}
          onChoose={setCarry}
        />
        <Attach onText={added => setText(`${text}${text === '' ? '' : '\n\n'}${added}`)} />
        <label class="toggle end">
          <input
            type="checkbox"
            checked={isFresh}
            onChange={event => setFresh(event.currentTarget.checked)}
          />
          Fresh session
        </label>
        <Button
          type="submit"
          kind={text.trim() === '' ? 'plain' : 'filled'}
          keys="Ctrl ↵"
          scope="submit"
          whyNot={
            text.trim() === '' ? 'Write a message first.' : isBusy ? 'It is being sent.' : null
          }
        >
          {isGoing ? 'Queue' : 'Send'}
        </Button>
      </div>
      <PriceLine previewed={previewed} />
    </form>
  )
}

function Attach({ onText }: { readonly onText: (text: string) => void }) {
  const { act } = useAct()
  const read = async (file: File) => {
    if (file.size > MOST_ATTACHED)
      throw new Error(`${file.name} is larger than ${MOST_ATTACHED} bytes`)
    onText(`${file.name}:\n\n\`\`\`\n${await file.text()}\n\`\`\``)
  }
  return (
    <label class="attach composer-wide" title="Attach a text file">
      <Icon name="clip" />
      <span class="unseen">Attach a text file</span>
      <input
        class="unseen"
        type="file"
        onChange={event => {
          const [file] = event.currentTarget.files ?? []
          event.currentTarget.value = ''
          if (file) void act(() => read(file))
        }}
      />
    </label>
  )
}
