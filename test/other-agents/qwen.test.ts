// The real program of qwen under Reprise.
import { agentCases } from '../agents/agent-cases.ts'

agentCases('qwen')
