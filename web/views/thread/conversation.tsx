// The conversation: every turn, the selected one with its keys, and below it the composer.
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ThreadDetails } from '../../../src/api.ts'
import { isUnapproved } from '../../../src/core/conversation/thread.ts'
import { useFilters } from '../../data/filters.ts'
import { useLeftToDraw } from '../../lists/use-left-to-draw.ts'
import { Empty } from '../../parts/states.tsx'
import { turnsOf } from '../../pictures/turns.ts'
import { useShortcut } from '../../shell/shortcuts.ts'
import { Composer } from './composer.tsx'
import { TurnView } from './turn.tsx'

/** Near the end, the page follows new text; further up, the reader is reading. */
const NEAR_END_PX = 80
const TURNS_PER_FRAME = 4

export function Conversation({ thread }: { readonly thread: ThreadDetails }) {
  const turns = turnsOf(thread.messages, thread.runs)
  const filters = useFilters()
  const [chosen, choose] = useState<number | null>(null)
  const selected = Math.min(chosen ?? turns.length - 1, turns.length - 1)
  const list = useRef<HTMLOListElement>(null)
  // A thread opens at its end: the latest turns are drawn first.
  const first = Math.min(useLeftToDraw(turns.length, TURNS_PER_FRAME), turns.length)
  const move = (step: number) => {
    const next = Math.max(0, Math.min(turns.length - 1, selected + step))
    choose(next)
    list.current?.children[next - first]?.scrollIntoView({ block: 'nearest' })
  }
  useShortcut('j', 'Next turn', () => move(1))
  useShortcut('k', 'Previous turn', () => move(-1))
  const runId = turns[selected]?.run?.id
  const why = () => filters.set({ run: filters.get('run') === runId ? undefined : runId })
  useShortcut('w', 'Why did the turn continue like this?', runId === undefined ? null : why)
  const { scroll, toEnd } = useFollowedEnd()
  return (
    <div class="conversation">
      <div class="view-scroll" ref={scroll}>
        {turns.length === 0 && (
          <Empty icon="threads" title="Nothing was said yet">
            Write the first message below.
          </Empty>
        )}
        <ol class="turns" ref={list} aria-busy={first > 0}>
          {turns.slice(first).map((turn, place) => (
            <TurnView
              key={turn.prompt?.id ?? turn.number}
              threadId={thread.id}
              turn={turn}
              next={turns[first + place + 1]?.stroke ?? null}
              isSelected={first + place === selected}
              onSelect={() => choose(first + place)}
            />
          ))}
        </ol>
      </div>
      {!isUnapproved(thread) && <Composer thread={thread} onSent={toEnd} />}
    </div>
  )
}

/** Stays at the end while new text comes, unless the reader has scrolled up. It never moves the focus. */
function useFollowedEnd() {
  const scroll = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const follow = () => {
    const box = scroll.current
    if (box && isAtEnd.current) box.scrollTop = box.scrollHeight
  }
  useEffect(() => {
    const box = scroll.current
    const content = box?.lastElementChild
    if (!box || !content) return
    const note = () => {
      isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX
    }
    const observer = new ResizeObserver(follow)
    follow()
    box.addEventListener('scroll', note, { passive: true })
    observer.observe(content)
    return () => {
      box.removeEventListener('scroll', note)
      observer.disconnect()
    }
  }, [])
  /** For what the reader sends: it is shown wherever the reader was before. */
  const toEnd = () => {
    isAtEnd.current = true
    follow()
  }
  return { scroll, toEnd }
}
