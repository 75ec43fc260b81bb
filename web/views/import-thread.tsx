// The form that takes in a thread file: which file, and where its thread goes on.
import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { replayedWords } from '../../src/core/import-words.ts'
import { sentence, useAct } from '../data/act.ts'
import { reprise } from '../data/client.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Field } from '../parts/field.tsx'
import { toast } from '../parts/toasts.tsx'

export function ImportThread({ onClose }: { readonly onClose: () => void }) {
  const { route } = useLocation()
  const { act, isBusy } = useAct()
  const [file, setFile] = useState<File | null>(null)
  const [workDir, setWorkDir] = useState('')
  const take = (chosen: File) =>
    void act(async () => {
      const where = workDir === '' ? {} : { workDir }
      const taken = await reprise.threads.import(piecesOf(chosen), where)
      onClose()
      route(`/threads/${taken.threadId}`)
      const replayed = taken.replayed.map(one => sentence(replayedWords(one))).join(' ')
      const text = taken.isNew ? 'The thread came in.' : 'The thread was here already.'
      toast({ kind: 'ok', text, ...(replayed !== '' && { detail: replayed }) })
    })
  return (
    <Dialog title="Import a thread" onClose={onClose}>
      <p class="muted">
        A file that <code>reprise threads export</code> has written. One of another store is only
        data until a person approves it.
      </p>
      <label class="field">
        <span>Thread file</span>
        <input type="file" onChange={event => setFile(event.currentTarget.files?.[0] ?? null)} />
      </label>
      <Field
        label="Work dir"
        value={workDir}
        onText={setWorkDir}
        placeholder="/home/me/project; none for a thread of a repository"
      />
      <footer>
        <Button
          kind="filled"
          scope="submit"
          onClick={() => file && take(file)}
          whyNot={file === null ? 'Choose a file first.' : isBusy ? 'It is being read.' : null}
        >
          Import
        </Button>
        <Button onClick={onClose}>Cancel</Button>
      </footer>
    </Dialog>
  )
}

/** Not every browser can iterate over the stream of a file. */
async function* piecesOf(file: File): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(await file.arrayBuffer())
}
