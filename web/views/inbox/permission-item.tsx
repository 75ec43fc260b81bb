// A call that waits for a yes or a no: the command as a command, the change as a difference.
import { callTitle, showCall } from '../../../src/core/calls/tool-call.ts'
import type { Question } from '../../../src/core/conversation/question.ts'
import { DELIVERY_WORDS } from '../../../src/core/conversation/question-words.ts'
import { Call } from '../../content/call.tsx'
import { PermissionChoices } from '../../parts/permission-choices.tsx'
import { ItemFrame, type ItemProps } from './item.tsx'
import { WhereOfRun } from './where.tsx'

type Props = ItemProps & { readonly question: Question }

export function PermissionItem({ question, ...item }: Props) {
  const { tool, input, runId, delivery } = question
  const shown = showCall(tool, input)
  return (
    <ItemFrame
      {...item}
      icon="shield"
      hue="warn"
      kind="Permission"
      since={question.askedAt}
      expiresAt={question.expiresAt}
      {...(delivery === 'live' && { note: 'process is live' })}
      title={callTitle(tool)}
      href={`/runs/${runId}`}
      where={<WhereOfRun runId={runId} />}
    >
      <p class="muted">
        {shown.kind === 'command' && shown.description !== null
          ? `The agent says: ${shown.description}`
          : DELIVERY_WORDS[delivery]}
      </p>
      <Call shown={shown} />
      <PermissionChoices question={question} isFocused={item.isFocused} onDone={item.onDone} />
    </ItemFrame>
  )
}
