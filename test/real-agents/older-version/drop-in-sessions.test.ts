import { describe } from 'vitest'
import { dropInScenarios } from '../../scenarios/threads/drop-in.ts'

describe('sessions of the drop-in in front of 2.1.197', () => dropInScenarios('2.1.197'))
