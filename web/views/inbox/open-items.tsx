// The open items, with the one that is focused and those that were just answered.
import { useState } from 'preact/hooks'
import { dismiss } from '../../browser/dismissed.ts'
import { dismissKeyOf, idOf, type Waiting } from '../../data/inbox.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { ChainItem } from './chain-item.tsx'
import { ImportItem } from './import-item.tsx'
import type { ItemProps } from './item.tsx'
import { JobItem } from './job-item.tsx'
import { PermissionItem } from './permission-item.tsx'
import { QuestionItem } from './question-item.tsx'

/** As long as the item takes to collapse. */
const LEAVES_MS = 160

type OpenItemsProps = {
  readonly waiting: readonly Waiting[]
  /** The run whose question is focused first: other pages link to it. */
  readonly runId: string | undefined
}

export function OpenItems({ waiting, runId }: OpenItemsProps) {
  const linked = waiting.find(item => item.kind === 'question' && item.question.runId === runId)
  const [chosen, choose] = useState<string | null>(linked ? idOf(linked) : null)
  const [leaving, setLeaving] = useState<readonly string[]>([])
  const [gone, setGone] = useState<readonly string[]>([])
  const shown = waiting.filter(item => !gone.includes(idOf(item)))
  const ids = shown.map(idOf).filter(id => !leaving.includes(id))
  const focused = chosen !== null && ids.includes(chosen) ? chosen : ids[0]

  const step = (by: number) => {
    const at = ids.indexOf(focused ?? '')
    const next = ids[Math.min(ids.length - 1, Math.max(0, at + by))]
    if (next !== undefined) choose(next)
  }
  useShortcut('j', 'Next item', () => step(1))
  useShortcut('k', 'Previous item', () => step(-1))

  const leave = (id: string) => {
    const next = ids[ids.indexOf(id) + 1] ?? ids[ids.indexOf(id) - 1] ?? null
    // Until the answer arrived, the reader may have gone to another item: a key must not act on one that they did not choose.
    choose(now => ((now ?? ids[0]) === id ? next : now))
    setLeaving(now => [...now, id])
    setTimeout(() => {
      setGone(now => [...now, id])
      setLeaving(now => now.filter(one => one !== id))
    }, LEAVES_MS)
    // A job that was retried may give up again: it is shown again then.
    setTimeout(() => setGone(now => now.filter(one => one !== id)), SHOWN_AGAIN_MS)
  }
  return (
    <>
      {shown.map(item => {
        const id = idOf(item)
        return (
          <Item
            key={id}
            item={item}
            isFocused={id === focused}
            onFocus={() => choose(id)}
            onDone={() => leave(id)}
            onDismiss={() => dismiss(dismissKeyOf(item))}
            isLeaving={leaving.includes(id)}
          />
        )
      })}
    </>
  )
}

/** By then the list was read again. */
const SHOWN_AGAIN_MS = 3_000

function Item({ item, ...props }: ItemProps & { readonly item: Waiting }) {
  switch (item.kind) {
    case 'question':
      return item.question.kind === 'permission' ? (
        <PermissionItem question={item.question} {...props} />
      ) : (
        <QuestionItem question={item.question} {...props} />
      )
    case 'chain':
      return <ChainItem chain={item.chain} since={item.since} {...props} />
    case 'import':
      return <ImportItem thread={item.thread} imported={item.imported} {...props} />
    case 'job':
      return <JobItem job={item.job} since={item.since} {...props} />
  }
}
