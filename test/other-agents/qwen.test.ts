// The real program of qwen under Reprise.
import { acpCases } from '../agents/acp-cases.ts'

acpCases('qwen')
