import { describe } from 'vitest'
import { useHarness } from '../scenarios/threads/threads.ts'
import { channelScenarios } from '../scenarios/threads/trust.ts'

describe('trust on 2.1.197', () => channelScenarios(useHarness('2.1.197'), '2.1.197'))
