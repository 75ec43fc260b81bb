// Puts Reprise together from the config. Loaded by verbs that need it, not by --help.
import type { Reprise } from '../api.ts'
import type { Config } from '../config/config.ts'
import { RepriseError } from '../errors.ts'

export async function openReprise(_config: Config): Promise<Reprise> {
  throw new RepriseError('internal', 'not there yet', 'wait')
}
