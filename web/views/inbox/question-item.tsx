// A question of an agent: options by number, or an answer in one's own words. Several questions are answered together.
import { useState } from 'preact/hooks'
import type { QuestionItem as Asked, Question } from '../../../src/core/conversation/question.ts'
import { DELIVERY_WORDS } from '../../../src/core/conversation/question-words.ts'
import { useAct } from '../../data/act.ts'
import { giveAnswer } from '../../data/verbs.ts'
import { Button } from '../../parts/button.tsx'
import { ItemFrame, type ItemProps } from './item.tsx'
import { Options } from './options.tsx'
import { WhereOfRun } from './where.tsx'

type Props = ItemProps & { readonly question: Question }

/** What is chosen and written so far, by question. */
type Draft = { readonly chosen: readonly string[]; readonly text: string }

const NOTHING: Draft = { chosen: [], text: '' }

export function QuestionItem({ question, ...item }: Props) {
  const { items, runId, delivery } = question
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({})
  const { act } = useAct()
  const [first] = items
  // One question with one answer needs no second press.
  const isAtOnce = items.length === 1 && first?.multiSelect === false
  const draftOf = (asked: Asked) => drafts[asked.question] ?? NOTHING
  const change = (asked: Asked, draft: Partial<Draft>) =>
    setDrafts({ ...drafts, [asked.question]: { ...draftOf(asked), ...draft } })

  const send = async (content: Readonly<Record<string, string | readonly string[]>>) => {
    if (await act(() => giveAnswer(question, { content }), 'Answered.')) item.onDone()
  }
  const choose = (asked: Asked, label: string) => {
    if (isAtOnce) return void send({ [asked.question]: label })
    change(asked, { chosen: chosenAfter(asked, draftOf(asked).chosen, label) })
  }
  const sendAll = () =>
    void send(Object.fromEntries(items.map(asked => [asked.question, answerOf(draftOf(asked))])))
  const missing = items.find(asked => answerOf(draftOf(asked)).length === 0)

  return (
    <ItemFrame
      {...item}
      icon="question"
      hue="info"
      kind="Question"
      since={question.askedAt}
      expiresAt={question.expiresAt}
      title={items.length === 1 ? (first?.question ?? '') : `${items.length} questions`}
      href={`/runs/${runId}`}
      where={<WhereOfRun runId={runId} />}
    >
      <p class="muted">{DELIVERY_WORDS[delivery]}</p>
      {items.map((asked, index) => (
        <Options
          key={asked.question}
          asked={asked}
          isNamed={items.length > 1}
          chosen={draftOf(asked).chosen}
          text={draftOf(asked).text}
          // Digits answer the first question that has no answer yet.
          hasKeys={
            item.isFocused &&
            (isAtOnce || asked === missing || (!missing && index === items.length - 1))
          }
          onChoose={label => choose(asked, label)}
          onText={text => change(asked, { text })}
          onSend={isAtOnce || missing === undefined ? sendAll : null}
        />
      ))}
      {!isAtOnce && (
        <div class="form-actions">
          <Button
            kind={item.isFocused ? 'filled' : 'plain'}
            scope="approve"
            whyNot={missing && `"${missing.question}" has no answer yet.`}
            onClick={sendAll}
          >
            Answer
          </Button>
        </div>
      )}
    </ItemFrame>
  )
}

function chosenAfter(asked: Asked, chosen: readonly string[], label: string): readonly string[] {
  if (chosen.includes(label)) return chosen.filter(one => one !== label)
  return asked.multiSelect ? [...chosen, label] : [label]
}

/** Words of one's own go along with what was chosen. */
function answerOf({ chosen, text }: Draft): string | readonly string[] {
  const all = [...chosen, ...(text.trim() === '' ? [] : [text.trim()])]
  return all.length <= 1 ? (all[0] ?? '') : all
}
