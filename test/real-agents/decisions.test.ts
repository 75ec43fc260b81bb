// One version, because the outcome is decided before it starts. Both versions are in the other files.
import { decisionScenarios } from '../scenarios/threads/threads.ts'

decisionScenarios('2.1.325')
