// The real program of pi under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('pi')
