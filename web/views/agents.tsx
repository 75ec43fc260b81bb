// Agents: what was found on the daemon's machine, what each can do, and what to do where one is missing; and who works on jobs.
import { Fragment } from 'preact'
import type { AgentReport } from '../../src/api.ts'
import { sentence } from '../data/act.ts'
import { reprise } from '../data/client.ts'
import { useResource } from '../data/resource.ts'
import { Icon } from '../parts/icon.tsx'
import { Empty, Skeleton, Trouble } from '../parts/states.tsx'
import { View } from '../shell/view.tsx'
import { Workers } from './workers.tsx'

export function Agents() {
  const { value, error, refresh } = useResource('agents', () => reprise.agents())
  return (
    <View title="Agents" beside={<span class="muted">{value?.length}</span>}>
      <div class="view-scroll" tabIndex={0}>
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton rows={3} />}
        {value?.length === 0 && (
          <Empty icon="agents" title="No agent is configured" command="reprise doctor">
            This command says what is missing.
          </Empty>
        )}
        {value?.map(agent => (
          <Agent key={agent.name} agent={agent} />
        ))}
        <Workers />
      </div>
    </View>
  )
}

function Agent({ agent }: { readonly agent: AgentReport }) {
  const abilities = Object.entries(agent.abilities)
  return (
    <section class="agent">
      <h2>
        <span class={agent.problem === null ? 'ok' : 'bad'}>
          <Icon name={agent.problem === null ? 'completed' : 'failed'} />
        </span>
        {agent.name}
        <span class="meta">{agent.version ?? 'version not known'}</span>
      </h2>
      {agent.problem !== null && (
        <p>
          <span class="bad">{sentence(agent.problem)}</span> {agent.hint && sentence(agent.hint)}
        </p>
      )}
      <dl class="facts">
        <dt>Adapter</dt>
        <dd>{agent.adapter}</dd>
        <dt>Program</dt>
        <dd class="mono">{agent.executable}</dd>
        {abilities.length > 0 && (
          <Fragment>
            <dt>Abilities</dt>
            <dd>
              <ul class="abilities">
                {abilities.map(([name, isThere]) => (
                  <li key={name} class={isThere ? '' : 'muted'}>
                    <span class={isThere ? 'ok' : 'muted'}>
                      <Icon name={isThere ? 'yes' : 'no'} label={isThere ? 'can' : 'cannot'} />
                    </span>
                    {name}
                  </li>
                ))}
              </ul>
            </dd>
          </Fragment>
        )}
        {agent.quirks.length > 0 && (
          <Fragment>
            <dt>Quirks</dt>
            <dd>{agent.quirks.join(', ')}</dd>
          </Fragment>
        )}
        <dt>Environment</dt>
        <dd>
          {agent.env.trusted.length} variables for trusted work, {agent.env.untrusted.length} for
          chains and untrusted work, {agent.env.withheld.length} for nobody
        </dd>
      </dl>
    </section>
  )
}
