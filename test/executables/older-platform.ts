import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { startGatewayOn } from '../cli/gateway/start-gateway-command.ts'
import { runBundleOn } from '../setup/run-bundle.ts'
import { temporaryDirectory } from '../setup/temporary-directory.ts'

/** Starts a gateway on the oldest Node with a rule for one identity, and the arguments with which `workload-token` uses it. */
export async function startOlderPlatform(node: string) {
  const home = await temporaryDirectory()
  const db = join(home, 'state.db')
  const console = async (...argv: string[]) =>
    JSON.parse((await runBundleOn(node, 'gatepass', { argv: ['gateway', ...argv, '--db', db] })).stdout)
  const seed = await console('seed')
  const { jwks, assertion } = await signIdentity()
  await writeFile(join(home, 'jwks.json'), JSON.stringify(jwks))
  const issuer = await console('federation', 'issuer', 'https://idp.example', '--jwks-file', join(home, 'jwks.json'))
  const target = ['--service-account', seed.identities.serviceAccount, '--workspace', seed.workspaces.team]
  const rule = await console(
    'federation',
    'rule',
    '--issuer',
    issuer.id,
    ...target,
    '--audience',
    'https://api.example',
  )
  const { started, stop } = await startGatewayOn(node, {}, '--db', db)
  const where = ['--base-url', started.url, '--organization', seed.organization, '--federation-rule', rule.id]
  return {
    url: started.url as string,
    stop,
    seed,
    env: { HOME: home, IDENTITY: assertion, VENDOR_API_KEY: seed.keys.personal.secret as string },
    helper: [...where, '--identity', 'variable', '--identity-variable', 'IDENTITY'],
  }
}

async function signIdentity() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const assertion = await new SignJWT({ sub: 'build' })
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .setIssuer('https://idp.example')
    .setAudience('https://api.example')
    .setIssuedAt()
    .setExpirationTime('5 minutes')
    .sign(privateKey)
  return { assertion, jwks: { keys: [{ ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256' }] } }
}
