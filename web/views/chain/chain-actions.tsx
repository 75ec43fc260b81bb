// What a person can do with a chain: let it go on, cancel it, start it again, read its conversation.
import { useState } from 'preact/hooks'
import type { Chain } from '../../../src/api.ts'
import { useChainActs } from '../../data/chain-acts.ts'
import { useFilters } from '../../data/filters.ts'
import { Button } from '../../parts/button.tsx'
import { Confirm } from '../../parts/confirm.tsx'
import { Icon } from '../../parts/icon.tsx'
import { useShortcut } from '../../shell/shortcuts.ts'
import { NextTier } from './next-tier.tsx'

export function ChainActions({ chain }: { readonly chain: Chain }) {
  const filters = useFilters()
  const acts = useChainActs(chain)
  const [asks, setAsks] = useState<'go-on' | 'cancel' | null>(null)
  const { goOn, canCancel } = acts
  const verb = goOn?.verb === 'continue' ? 'Continue' : 'Approve'
  useShortcut('a', `${verb} the chain`, goOn ? () => setAsks('go-on') : null)
  useShortcut('c', 'Cancel the chain', canCancel ? () => setAsks('cancel') : null)
  return (
    <>
      <a class="button" href={`/threads/${chain.threadId}`}>
        Open thread
      </a>
      {chain.endedAt !== null && chain.status !== 'held' && (
        <Button scope="submit" onClick={() => filters.set({ start: 'again' })}>
          <Icon name="retry" />
          Start again…
        </Button>
      )}
      {canCancel && (
        <Button kind="danger" scope="submit" keys="C" onClick={() => setAsks('cancel')}>
          <Icon name="stop" />
          Cancel
        </Button>
      )}
      {goOn && (
        <Button
          kind="filled"
          scope="person"
          whyNot={goOn.whyNot}
          keys="A"
          onClick={() => setAsks('go-on')}
        >
          {verb} tier {goOn.tier}…
        </Button>
      )}
      {asks === 'go-on' && goOn && (
        <Confirm
          title={`${verb} tier ${goOn.tier}?`}
          verb={`${verb} tier ${goOn.tier}`}
          onClose={() => setAsks(null)}
          onConfirm={() => void acts.onGoOn()}
        >
          <NextTier chain={chain} tier={goOn.tier} />
        </Confirm>
      )}
      {asks === 'cancel' && (
        <Confirm
          title="Cancel this chain?"
          verb="Cancel chain"
          onClose={() => setAsks(null)}
          onConfirm={() => void acts.onCancel()}
        >
          The run that is going ends with all its processes, and no tier follows. What was done to
          files and services stays.
        </Confirm>
      )}
    </>
  )
}
