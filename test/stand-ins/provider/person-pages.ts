import type { IncomingMessage } from 'node:http'
import type { Context, Interaction, Provider } from 'oidc-provider'
import { escapeHtml } from '../aws/pages/page-answer.ts'
import { showPage } from './configuration.ts'
import type { CompleteSettings } from './settings.ts'

/** Creates the pages on which a person says who they are and what they allow; tests find their way by the ids of the elements. */
export function createPersonPages(provider: Provider, { people, consent }: CompleteSettings) {
  const finish = async (context: Context, result: object) => {
    const options = { mergeWithLastSubmission: 'consent' in result }
    context.redirect(await provider.interactionResult(context.req, context.res, result, options))
    context.status = 303
  }
  const refuse = (context: Context) =>
    finish(context, { error: 'access_denied', error_description: 'the person denied it' })

  const answer = async (context: Context, interaction: Interaction, form: URLSearchParams) => {
    if (form.get('choice') === 'deny') return refuse(context)
    if (interaction.prompt.name === 'consent') return finish(context, await grantAll(provider, interaction))
    const name = form.get('name') ?? ''
    if (people[name] === undefined || people[name] !== form.get('password')) return showSignIn(context, wrongPassword)
    return finish(context, { login: { accountId: name } })
  }

  return async (context: Context, next: () => Promise<void>): Promise<void> => {
    if (!context.path.startsWith('/sign-in/')) return next()
    const interaction = await provider.interactionDetails(context.req, context.res)
    if (context.method === 'POST') return answer(context, interaction, await readForm(context.req))
    if (interaction.prompt.name === 'login') return showSignIn(context)
    if (consent === 'given') return finish(context, await grantAll(provider, interaction))
    return showConsent(context, interaction)
  }
}

const wrongPassword = 'This name and this password do not belong together.'

function showSignIn(context: Context, problem = ''): void {
  showPage(
    context,
    'Example Corp: sign in',
    `<p id="error">${problem}</p><form method="post">
<label>Name <input id="name" name="name" autocomplete="off"></label>
<label>Password <input id="password" name="password" type="password" autocomplete="off"></label>
<button id="sign-in" name="choice" value="sign-in">sign in</button><button id="deny" name="choice" value="deny">cancel</button></form>`,
  )
}

function showConsent(context: Context, { params, session }: Interaction): void {
  const text = `${params.client_id} asks for: ${params.scope}. You are ${session?.accountId}.`
  showPage(
    context,
    'May this program act for you?',
    `<p>${escapeHtml(text)}</p><form method="post">
<button id="allow" name="choice" value="allow">allow</button><button id="deny" name="choice" value="deny">deny</button></form>`,
  )
}

async function grantAll(provider: Provider, { grantId, params, session, prompt }: Interaction): Promise<object> {
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = known ?? new provider.Grant({ accountId: session?.accountId, clientId: params.client_id })
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '))
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims)
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '))
  return { consent: { grantId: await grant.save() } }
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}
