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
    <View title="Agents" beside={<span class="muted">{value?.filter(isHere).length}</span>}>
      <div class="view-scroll" tabIndex={0}>
        {error && <Trouble error={error} retry={refresh} />}
        {!value && !error && <Skeleton rows={3} />}
        {value?.some(isHere) === false && (
          <Empty icon="agents" title="No agent is configured" command="reprise doctor">
            This command says what is missing.
          </Empty>
        )}
        {value?.filter(isHere).map(agent => (
          <Agent key={agent.name} agent={agent} />
        ))}
        <Workers />
        <Others agents={value?.filter(agent => !isHere(agent)) ?? []} />
      </div>
    </View>
  )
}

/** A configured agent that is missing is a fault; one that nobody asked for is not. */
const isHere = ({ configured, found }: AgentReport) => configured || found

/** Agents that Reprise knows how to run, and how to get them. */
function Others({ agents }: { readonly agents: readonly AgentReport[] }) {
  if (agents.length === 0) return null
  return (
    <section class="agent" aria-label="Other agents">
      <h2>
        Other agents <span class="meta">{agents.length} that Reprise knows, not installed</span>
      </h2>
      <p class="muted">Reprise finds one of them when its program is on the PATH of the daemon.</p>
      <dl class="facts">
        {agents.map(({ name, install, hint }) => (
          <Fragment key={name}>
            <dt class="name">{name}</dt>
            {install ? (
              <dd class="mono">{install}</dd>
            ) : (
              <dd class="muted">{hint && sentence(hint)}</dd>
            )}
          </Fragment>
        ))}
      </dl>
    </section>
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
