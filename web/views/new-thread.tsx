// The form for a new thread: where the agent works, who answers, and the first message.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useAct } from '../data/act.ts'
import { reprise } from '../data/client.ts'
import { useConfiguredAgents } from '../data/configured-agents.ts'
import { useResource } from '../data/resource.ts'
import { sendTurn } from '../data/verbs.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'

export function NewThread({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const { act, isBusy } = useAct()
  const [workDir, setWorkDir] = useState('')
  const [title, setTitle] = useState('')
  const [prompt, setPrompt] = useState('')
  const [agent, setAgent] = useState('')
  const agents = useConfiguredAgents()
  const lastDirs =
    useResource('latest threads', () => reprise.threads.list({ limit: 20 })).value ?? []
  const start = () =>
    void act(async () => {
      const thread = await reprise.threads.create({
        workDir,
        ...(title !== '' && { title }),
        ...(agent !== '' && { agent }),
      })
      if (prompt.trim() !== '') await sendTurn(thread.id, { prompt })
      onClose()
      route(`/threads/${thread.id}`)
    })
  return (
    <Dialog title="New thread" onClose={onClose}>
      <label class="field">
        <span>Work dir</span>
        <input
          type="text"
          list="work-dirs"
          value={workDir}
          placeholder="/home/me/project"
          onInput={event => setWorkDir(event.currentTarget.value)}
        />
        <datalist id="work-dirs">
          {[...new Set(lastDirs.map(thread => thread.workDir))].map(path => (
            <option key={path} value={path} />
          ))}
        </datalist>
      </label>
      <div class="form-row">
        <label class="field">
          <span>Title</span>
          <input
            type="text"
            value={title}
            placeholder="the first message, if empty"
            onInput={event => setTitle(event.currentTarget.value)}
          />
        </label>
        <label class="field">
          <span>Agent</span>
          <select value={agent} onChange={event => setAgent(event.currentTarget.value)}>
            <option value="">as configured</option>
            {agents.map(({ name, problem }) => (
              <option key={name} value={name} disabled={problem !== null}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label class="field">
        <span>First message</span>
        <textarea rows={4} value={prompt} onInput={event => setPrompt(event.currentTarget.value)} />
      </label>
      <footer>
        <Button
          kind="filled"
          scope="submit"
          onClick={start}
          whyNot={
            workDir === ''
              ? 'Name the directory in which the agent works.'
              : isBusy
                ? 'It is being created.'
                : null
          }
        >
          {prompt.trim() === '' ? 'Create' : 'Create and send'}
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </footer>
    </Dialog>
  )
}
