// An agent inside a program: two questions, one session. Run: node examples/embedded-agent.ts (needs `claude` on PATH)
import { ConversationHistory, claudeCode, createReprise, executeQuery, sqlite } from 'reprise'

const reprise = createReprise({ store: sqlite('example.db'), agents: [claudeCode()] })
const history = new ConversationHistory()
let sessionId: string | undefined

for (const prompt of ['Remember the number 7.', 'Which number was it?']) {
  const answers = executeQuery(reprise, {
    prompt,
    cwd: process.cwd(),
    ...(sessionId && { sdkSessionId: sessionId }),
    conversationHistory: history.getMessages(),
  })
  history.addUserMessage(prompt)
  for await (const message of answers) {
    if (message.type === 'assistant') history.addAssistantMessage(message.message.content)
    if (message.type !== 'result') continue
    sessionId = message.session_id ?? sessionId
    const { text, session_resumed } = message.result
    console.log(`${session_resumed ? 'same session' : 'new session'}: ${text}`)
  }
}

await reprise.close()
