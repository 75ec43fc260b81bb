// Checks which sandbox a run with `auto` gets on this machine. Chains use `auto` by default.
import { SANDBOX_HINT } from '../../core/run/sandbox.ts'
import { createSandboxes } from '../../runner/sandbox/sandboxes.ts'
import { type Diagnosis, ok } from './finding.ts'

export async function checkSandbox(home: string): Promise<Diagnosis> {
  const check = 'sandbox'
  const sandboxes = createSandboxes()
  const bwrap = await sandboxes.test('bwrap', home)
  if (bwrap.works) return ok(check, 'bwrap: a run dies whole, and cannot see the data directory')
  const namespace = await sandboxes.test('namespace', home)
  if (namespace.works) return ok(check, `namespace (bwrap: ${bwrap.reason})`)
  const why = `bwrap: ${bwrap.reason}; namespace: ${namespace.reason}`
  const detail = `none works here (${why}): chains run without one, processes that an agent detaches can outlive its run, and it can read ${home}`
  return { check, state: 'warn', detail, hint: SANDBOX_HINT }
}
