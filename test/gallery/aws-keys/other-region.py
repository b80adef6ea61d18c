# Mistake: its Bedrock key is signed for another region than that of the gateway.
# Fails: key-gateway
# BaseUrl: https://bedrock-runtime.us-east-1.amazonaws.com
from parts.token import *

date = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
query = (
    "Action=CallWithBearerToken&X-Amz-Algorithm=AWS4-HMAC-SHA256"
    f"&X-Amz-Credential=AKIAELSEWHERE%2F{date[:8]}%2Feu-central-1%2Fbedrock%2Faws4_request"
    f"&X-Amz-Date={date}&X-Amz-Expires=7200&X-Amz-SignedHeaders=host"
    f"&X-Amz-Signature={'0' * 64}&Version=1"
)
print_token("bedrock-api-key-" + base64.b64encode(f"bedrock.amazonaws.com/?{query}".encode()).decode())
