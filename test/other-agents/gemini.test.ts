// The real program of gemini under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('gemini')
