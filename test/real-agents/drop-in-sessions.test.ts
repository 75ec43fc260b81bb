// Which session a call through `reprise-claude` means, and what becomes of a damaged one. The storms run it on the older version, too.
import { describe } from 'vitest'
import { dropInScenarios } from '../scenarios/threads/drop-in.ts'

describe('sessions of the drop-in in front of 2.1.325', () => dropInScenarios('2.1.325'))
