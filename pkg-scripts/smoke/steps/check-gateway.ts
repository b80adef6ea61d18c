import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requireOutcome, requireSame, toSuccess } from '../subject/findings.ts'
import type { SmokeSubject } from '../subject/subject.ts'
import { requireToken } from './token-call.ts'

/** The command's own gateway acts as the platform: it verifies an identity token, and issues a token to the helper. */
export async function checkGateway(subject: SmokeSubject): Promise<string> {
  const database = join(subject.scratch, 'state.db')
  const ask = async (...args: string[]) => {
    const outcome = await subject.run('gatepass', ['gateway', ...args, '--db', database])
    return JSON.parse(requireOutcome(`gatepass gateway ${args.join(' ')}`, outcome, toSuccess(/^\{/)).stdout)
  }
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = join(subject.scratch, 'jwks.json')
  writeFileSync(keys, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] }))
  const seed = await ask('seed')
  const issuer = await ask('federation', 'issuer', issuerUrl, '--jwks-file', keys)
  const target = ['--service-account', seed.identities.serviceAccount, '--workspace', seed.workspaces.team]
  const rule = await ask('federation', 'rule', '--issuer', issuer.id, ...target, '--audience', audience)
  const gateway = subject.start('gatepass', ['gateway', '--port', '0', '--db', database])
  try {
    const { url } = JSON.parse(await gateway.printed(/\}\r?\n$/))
    const where = ['--base-url', url, '--organization', seed.organization, '--federation-rule', rule.id]
    const args = [...where, '--identity', 'variable', '--identity-variable', 'IDENTITY']
    const env = { ...subject.env, IDENTITY: signIdentity(privateKey) }
    const token = requireToken('a call', await subject.run('workload-token', args, { env }))
    requireSame('the token again', requireToken('again', await subject.run('workload-token', args, { env })), token)
  } finally {
    gateway.kill()
    await gateway.outcome
  }
  return 'an identity was checked and exchanged'
}

const issuerUrl = 'https://issuer.example'
const audience = 'https://api.example'

function signIdentity(key: KeyObject): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: issuerUrl, sub: 'smoke', aud: audience, iat: now, exp: now + 300 }
  const parts = [{ alg: 'ES256', kid: 'one' }, claims].map((part) => encode(JSON.stringify(part))).join('.')
  return `${parts}.${encode(sign('sha256', Buffer.from(parts), { key, dsaEncoding: 'ieee-p1363' }))}`
}

function encode(value: string | Buffer): string {
  return Buffer.from(value).toString('base64url')
}
