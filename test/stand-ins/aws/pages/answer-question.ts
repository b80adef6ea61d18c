/**
 * Does what a browser does with the address of a sign-in: reads the page, presses a button, and follows where that leads.
 * Gives the address at which it ended.
 */
export async function answerQuestion(address: string, choice: 'allow' | 'deny'): Promise<string> {
  const html = await (await fetch(address)).text()
  const action = find(html, /action="([^"]+)"/)
  const body = new URLSearchParams({ question: find(html, /name="question" value="(\d+)"/), choice })
  const decision = await fetch(new URL(action, address), { method: 'POST', body, redirect: 'manual' })
  const target = decision.headers.get('location')
  if (target === null) throw new Error(`no redirect: HTTP ${decision.status}`)
  await fetch(target)
  return target
}

function find(html: string, pattern: RegExp): string {
  const found = pattern.exec(html)?.[1]
  if (found === undefined) throw new Error(`no question on the page: ${html}`)
  return found
}
