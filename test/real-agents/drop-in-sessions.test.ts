// Which session a call through `reprise-claude` means, and what becomes of a damaged one. The storms run it on the older version, too.
import { describe } from 'vitest'
import { NEWEST } from '../scenarios/harness/program.ts'
import { dropInScenarios } from '../scenarios/threads/drop-in.ts'

describe(`sessions of the drop-in in front of ${NEWEST}`, () => dropInScenarios(NEWEST))
