// Mistake: its Bedrock key is signed with UNSIGNED-PAYLOAD instead of the empty body's hash.
// Fails: bedrock-signature
const { createHash, createHmac } = require('node:crypto')
const { print } = require('../parts/token.cjs')
const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = process.env

const hmac = (key, text) => createHmac('sha256', key).update(text).digest()
const date = new Date().toISOString().replace(/[-:]|\.\d+/g, '')
const scope = [date.slice(0, 8), 'eu-central-1', 'bedrock', 'aws4_request']
const query = [
  'Action=CallWithBearerToken',
  'X-Amz-Algorithm=AWS4-HMAC-SHA256',
  `X-Amz-Credential=${encodeURIComponent([id, ...scope].join('/'))}`,
  `X-Amz-Date=${date}`,
  'X-Amz-Expires=43200',
  'X-Amz-SignedHeaders=host',
].join('&')
const host = 'bedrock.amazonaws.com'
const canonical = ['POST', '/', query, `host:${host}`, '', 'host', 'UNSIGNED-PAYLOAD'].join('\n')
const digest = createHash('sha256').update(canonical).digest('hex')
const key = scope.reduce(hmac, `AWS4${secret}`)
const signature = hmac(key, ['AWS4-HMAC-SHA256', date, scope.join('/'), digest].join('\n')).toString('hex')
const url = `${host}/?${query}&X-Amz-Signature=${signature}&Version=1`
print({ token: `bedrock-api-key-${Buffer.from(url).toString('base64')}` })
