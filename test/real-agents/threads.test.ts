import { threadScenarios, transcriptScenarios } from '../scenarios/threads/threads.ts'

threadScenarios('2.1.325')
transcriptScenarios('2.1.325')
