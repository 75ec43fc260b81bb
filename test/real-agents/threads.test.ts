import { NEWEST } from '../scenarios/harness/program.ts'
import { threadScenarios, transcriptScenarios } from '../scenarios/threads/threads.ts'

threadScenarios(NEWEST)
transcriptScenarios(NEWEST)
