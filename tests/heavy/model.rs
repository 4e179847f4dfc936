//! A model for coding agents, on loopback: says and calls what a script has, in the four dialects that agents speak, and
//! keeps what it was asked.

use std::{
    collections::VecDeque,
    io::{self, BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Value, json};

/// What the model does when it is asked.
pub enum Step {
    /// Runs a command with the agent's shell tool.
    Shell(&'static str),
    /// Says this, and ends its turn.
    Say(&'static str),
}

/// The model.
#[derive(Clone, Default)]
pub struct Model {
    shared: Arc<Mutex<(VecDeque<Step>, Vec<Value>)>>,
}

impl Model {
    /// Serves; gives its address as well.
    pub fn serve() -> (Self, String) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let model = Self::default();
        let serving = model.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let model = serving.clone();
                // Who hangs up has what he wanted.
                thread::spawn(move || model.answer(&stream).is_ok());
            }
        });
        (model, url)
    }

    /// Begins a script.
    pub fn play(&self, steps: impl IntoIterator<Item = Step>) {
        *self.shared.lock().unwrap() = (steps.into_iter().collect(), Vec::new());
    }

    /// What it was asked since the script began, where a shell was offered.
    pub fn asked(&self) -> Vec<Value> {
        self.shared.lock().unwrap().1.clone()
    }

    fn answer(&self, stream: &TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        while let Some((path, body)) = request(&mut reader)? {
            let (kind, text) = self.reply(&path, &body);
            let length = text.len();
            let mut stream = stream;
            write!(
                stream,
                "HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{text}"
            )?;
        }
        Ok(())
    }

    fn reply(&self, path: &str, body: &Value) -> (&'static str, String) {
        let shell = tools(body).into_iter().find_map(shell);
        let said = |text: &'static str| (Step::Say(text), None);
        let (step, shell) = match shell {
            None => said("ok"),
            Some(shell) => {
                let mut shared = self.shared.lock().unwrap();
                shared.1.push(body.clone());
                (
                    shared.0.pop_front().unwrap_or(Step::Say("done")),
                    Some(shell),
                )
            }
        };
        let call = match (&step, shell) {
            (Step::Shell(command), Some((name, mut input, key))) => {
                input[key] = json!(command);
                Some((name, input))
            }
            _ => None,
        };
        let text = match step {
            // Gemini CLI asks which model it should take, again and again until it understands the answer.
            _ if body["generationConfig"]["responseMimeType"] == "application/json" => {
                r#"{"complexity_reasoning":"none","complexity_score":1,"next_speaker":"user"}"#
            }
            Step::Say(text) => text,
            Step::Shell(_) => "",
        };
        let path = path.split('?').next().unwrap_or_default();
        let stream = |events| ("text/event-stream", events);
        if path.ends_with("/messages") {
            stream(messages(text, call))
        } else if path.ends_with("/responses") {
            stream(responses(text, call))
        } else if path.ends_with("/chat/completions") {
            stream(chat(text, call))
        } else if path.ends_with(":streamGenerateContent") {
            stream(event(&gemini(text, call)))
        } else if path.ends_with(":generateContent") {
            ("application/json", gemini(text, call).to_string())
        } else {
            (
                "application/json",
                json!({ "data": [], "models": [] }).to_string(),
            )
        }
    }
}

/// The path and the body of the next request.
fn request(reader: &mut impl BufRead) -> io::Result<Option<(String, Value)>> {
    let mut first = String::new();
    if reader.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let (mut length, mut is_chunked) = (0, false);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        is_chunked |= line.starts_with("transfer-encoding:") && line.ends_with("chunked");
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    while is_chunked {
        let mut size = String::new();
        reader.read_line(&mut size)?;
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_default();
        let mut chunk = vec![0; size + 2];
        reader.read_exact(&mut chunk)?;
        body.extend_from_slice(&chunk[..size]);
        is_chunked = size > 0;
    }
    let path = first.split_whitespace().nth(1).unwrap_or_default();
    Ok(Some((
        path.to_owned(),
        serde_json::from_slice(&body).unwrap_or_default(),
    )))
}

/// The tools that a request offers, whatever the dialect: each with its name and its schema.
fn tools(body: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        let declared = tool["functionDeclarations"].as_array();
        let functions = declared.map_or(vec![tool], |all| all.iter().collect());
        for one in functions {
            let one = if one["function"].is_object() {
                &one["function"]
            } else {
                one
            };
            let schemas = ["input_schema", "parameters", "parametersJsonSchema"];
            let schema = schemas
                .iter()
                .map(|key| &one[*key])
                .find(|it| it.is_object());
            if let (Some(name), Some(schema)) = (one["name"].as_str(), schema) {
                found.push((name.to_owned(), schema.clone()));
            }
        }
    }
    found
}

/// A shell, with what else it has to be given, and the key for its command.
fn shell((name, schema): (String, Value)) -> Option<(String, Value, &'static str)> {
    let shells = ["Bash", "bash", "exec_command", "run_shell_command"];
    if !shells.contains(&name.as_str()) {
        return None;
    }
    let keys = ["command", "cmd"];
    let key = keys
        .into_iter()
        .find(|key| schema["properties"][key].is_object())?;
    let required = schema["required"].as_array().into_iter().flatten();
    let required = required
        .filter_map(Value::as_str)
        .map(|key| (key.to_owned(), json!("x")));
    Some((name, Value::Object(required.collect()), key))
}

type Call = Option<(String, Value)>;

fn event(data: &Value) -> String {
    let name = data["type"].as_str().map(|name| format!("event: {name}\n"));
    format!("{}data: {data}\n\n", name.unwrap_or_default())
}

fn events(all: &[Value]) -> String {
    all.iter().map(event).collect()
}

fn messages(text: &str, call: Call) -> String {
    let usage = json!({ "input_tokens": 10, "output_tokens": 5 });
    let (block, delta, stop) = match call {
        Some((name, input)) => (
            json!({ "type": "tool_use", "id": id("toolu"), "name": name, "input": {} }),
            json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
            "tool_use",
        ),
        None => (
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
    };
    let message = json!({
        "id": id("msg"), "type": "message", "role": "assistant", "model": "fake", "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": usage,
    });
    events(&[
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ])
}

fn responses(text: &str, call: Call) -> String {
    let item = match call {
        Some((name, input)) => json!({
            "type": "function_call", "id": id("fc"), "call_id": id("call"), "status": "completed",
            "name": name, "arguments": input.to_string(),
        }),
        None => json!({
            "type": "message", "id": id("msg"), "role": "assistant", "status": "completed",
            "content": [{ "type": "output_text", "text": text, "annotations": [] }],
        }),
    };
    let usage = json!({
        "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": 5, "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 15,
    });
    let response = |status: &str, output: Value| {
        json!({
            "id": "resp_1", "object": "response", "model": "fake", "status": status,
            "output": output, "usage": usage,
        })
    };
    events(&[
        json!({ "type": "response.created", "response": response("in_progress", json!([])) }),
        json!({ "type": "response.output_item.done", "output_index": 0, "item": item }),
        json!({ "type": "response.completed", "response": response("completed", json!([item])) }),
    ])
}

fn chat(text: &str, call: Call) -> String {
    let (delta, end) = match call {
        Some((name, input)) => {
            let function = json!({ "name": name, "arguments": input.to_string() });
            let call =
                json!({ "index": 0, "id": id("call"), "type": "function", "function": function });
            (
                json!({ "role": "assistant", "tool_calls": [call] }),
                "tool_calls",
            )
        }
        None => (json!({ "role": "assistant", "content": text }), "stop"),
    };
    let chunk = |choices: Value| {
        json!({
            "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake",
            "choices": choices,
        })
    };
    let said = chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]));
    let ended = chunk(json!([{ "index": 0, "delta": {}, "finish_reason": end }]));
    events(&[said, ended]) + "data: [DONE]\n\n"
}

fn gemini(text: &str, call: Call) -> Value {
    let part = match call {
        Some((name, input)) => json!({
            "functionCall": { "name": name, "args": input }, "thoughtSignature": "c2tpcA==",
        }),
        None => json!({ "text": text }),
    };
    json!({
        "candidates": [{
            "content": { "role": "model", "parts": [part] }, "finishReason": "STOP", "index": 0,
        }],
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15 },
    })
}

/// An id that no other call has.
fn id(prefix: &str) -> String {
    format!("{prefix}_{}", ulid::Ulid::generate())
}
