// Mistake: parallel runs all use the same refresh token; the service takes the second use for a theft.
// Fails: parallel-runs
// Alone: its runs must meet in time
const { readFileSync, writeFileSync, renameSync } = require('node:fs')
const { context, freshToken, print } = require('../parts/token.cjs')
const path = `${process.env.HOME}/session.json`

async function renew() {
  const { refresh_token } = JSON.parse(readFileSync(path, 'utf8'))
  const answer = await fetch(`${process.env.TOKEN_SERVICE}/token`, {
    method: 'POST',
    body: JSON.stringify({ refresh_token }),
  })
  if (!answer.ok) throw new Error(`the token service answered ${answer.status}: sign in again`)
  const renewed = await answer.json()
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, JSON.stringify(renewed), { mode: 0o600 })
  renameSync(draft, path)
  return renewed.access_token
}

async function main() {
  print({ token: context === 'mid-session-refresh' ? await renew() : freshToken() })
}

main().catch((error) => {
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
})
