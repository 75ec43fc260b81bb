// The field for a directory on the machine of the daemon, with those of the latest threads to choose from.
import { reprise } from '../data/client.ts'
import { useResource } from '../data/resource.ts'

type WorkDirFieldProps = { readonly value: string; readonly onText: (text: string) => void }

export function WorkDirField({ value, onText }: WorkDirFieldProps) {
  const latest =
    useResource('latest threads', () => reprise.threads.list({ limit: 20 })).value ?? []
  return (
    <label class="field">
      <span>Work dir, on the machine of the daemon</span>
      <input
        type="text"
        list="work-dirs"
        required
        value={value}
        placeholder="/home/me/project"
        onInput={event => onText(event.currentTarget.value)}
      />
      <datalist id="work-dirs">
        {[...new Set(latest.map(({ workDir }) => workDir))].map(path => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </label>
  )
}
