// The form for a new thread: where the agent works, who answers, and the first message.

import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useAct } from '../data/act.ts'
import { reprise } from '../data/client.ts'
import { useConfiguredAgents } from '../data/configured-agents.ts'
import { sendTurn } from '../data/verbs.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { WorkDirField } from '../parts/work-dir-field.tsx'

export function NewThread({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const { act, isBusy } = useAct()
  const [workDir, setWorkDir] = useState('')
  const [title, setTitle] = useState('')
  const [prompt, setPrompt] = useState('')
  const [agent, setAgent] = useState('')
  const agents = useConfiguredAgents()
  const start = () =>
    void act(async () => {
      const thread = await reprise.threads.create({
        workDir,
        ...(title.trim() !== '' && { title }),
        ...(agent !== '' && { agent }),
      })
      if (prompt.trim() !== '') await sendTurn(thread.id, { prompt })
      onClose()
      route(`/threads/${thread.id}`)
    })
  return (
    <Dialog title="New thread" onClose={onClose}>
      <WorkDirField value={workDir} onText={setWorkDir} />
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
