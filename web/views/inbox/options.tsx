// The options of one question, numbered 1 to 9, and a line for other words.
import type { QuestionItem } from '../../../src/core/conversation/question.ts'
import { refusalOf } from '../../browser/me.ts'
import { Icon } from '../../parts/icon.tsx'
import { toast } from '../../parts/toasts.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'

type OptionsProps = {
  readonly asked: QuestionItem
  /** Shows the question above its options, when there are several. */
  readonly isNamed: boolean
  readonly chosen: readonly string[]
  readonly text: string
  /** The digits are its keys now. */
  readonly hasKeys: boolean
  readonly onChoose: (label: string) => void
  readonly onText: (text: string) => void
  /** Enter in the line sends it; `null`: something else has to be answered first. */
  readonly onSend: (() => void) | null
}

const MOST_KEYS = 9

export function Options(props: OptionsProps) {
  const { asked, isNamed, chosen, text, hasKeys, onText, onSend } = props
  const refusal = refusalOf('approve')
  const choose = (label: string) =>
    refusal === null ? props.onChoose(label) : toast({ kind: 'info', text: refusal })
  return (
    <fieldset class="options">
      <legend class={isNamed ? 'strong' : 'unseen'}>{asked.question}</legend>
      {asked.options.map(({ label, description }, index) => (
        <Option
          key={label}
          number={index + 1}
          label={label}
          description={description}
          isChosen={chosen.includes(label)}
          hasKey={hasKeys && index < MOST_KEYS}
          refusal={refusal}
          onChoose={() => choose(label)}
        />
      ))}
      <form
        onSubmit={event => {
          event.preventDefault()
          if (refusal !== null) toast({ kind: 'info', text: refusal })
          else if (text.trim() !== '') onSend?.()
        }}
      >
        <input
          type="text"
          aria-label={`Answer in your own words: ${asked.question}`}
          placeholder="Or answer in your own words…"
          value={text}
          {...(refusal !== null && { readOnly: true, title: refusal })}
          onInput={event => onText(event.currentTarget.value)}
          onKeyDown={event => event.key === 'Escape' && event.currentTarget.blur()}
        />
      </form>
    </fieldset>
  )
}

type OptionProps = {
  readonly number: number
  readonly label: string
  readonly description: string
  readonly isChosen: boolean
  readonly hasKey: boolean
  /** Why this sign-in may not answer. */
  readonly refusal: string | null
  readonly onChoose: () => void
}

function Option(props: OptionProps) {
  const { number, label, description, isChosen, hasKey, refusal, onChoose } = props
  useShortcut(String(number), `Answer: ${label}`, hasKey ? onChoose : null)
  return (
    <button
      type="button"
      class="option"
      aria-pressed={isChosen}
      {...(refusal !== null && { 'aria-disabled': true, title: refusal })}
      onClick={onChoose}
    >
      <span class={hasKey ? 'key' : 'key off'} aria-hidden="true">
        {isChosen ? <Icon name="yes" /> : number}
      </span>
      <span class="option-label">{label}</span>
      <span class="muted">{description}</span>
    </button>
  )
}
