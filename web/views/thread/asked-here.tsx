// What the run of a turn waits for: a permission is answered here, a question in the inbox.
import { callTitle, showCall } from '../../../src/core/calls/tool-call.ts'
import type { Question } from '../../../src/core/conversation/question.ts'
import { Call } from '../../content/call.tsx'
import { reprise } from '../../data/client.ts'
import { useResource } from '../../data/resource.ts'
import { PermissionChoices } from '../../parts/permission-choices.tsx'
import { Status } from '../../parts/status.tsx'

type Props = {
  readonly runId: string
  /** The tools that ask, by the log of the run. */
  readonly tools: readonly string[]
  /** Only one turn has keys. */
  readonly isSelected: boolean
}

export function AskedHere({ runId, tools, isSelected }: Props) {
  const asked = useResource(`asked by ${runId}`, () => reprise.runs.questions(runId), [
    'questions',
    `run:${runId}`,
  ]).value
  const open = asked?.filter(({ state }) => state === 'open') ?? []
  const [first] = open.filter(({ kind }) => kind === 'permission')
  return (
    <>
      {first && <Permission key={first.toolUseId} question={first} isSelected={isSelected} />}
      <p class="meta now-line">
        <Status status="waiting" />
        <span>{tools.join(', ')} waits for your answer</span>
        {(!first || open.length > 1) && (
          <a class="link" href={`/?run=${runId}`}>
            Answer in the Inbox
          </a>
        )}
      </p>
    </>
  )
}

function Permission({
  question,
  isSelected,
}: {
  readonly question: Question
  readonly isSelected: boolean
}) {
  const { tool, input } = question
  return (
    <section class="asked-here" aria-label={`Permission: ${callTitle(tool)}`}>
      <h2 class="asked-title">{callTitle(tool)}</h2>
      <Call shown={showCall(tool, input)} />
      <PermissionChoices question={question} isFocused={isSelected} />
    </section>
  )
}
