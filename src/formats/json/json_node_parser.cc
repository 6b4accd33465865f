#include "formats/json/json_node_parser.h"

#include <transom/containers/bigint.h>

#include <optional>

#include "formats/io/base64.h"
#include "formats/io/tensor_stream.h"
#include "graph/path.h"
#include "graph/type_plan.h"
#include "schema/json_text.h"

namespace transom::formats {
namespace {

using graph::Quoted;
using schema::TypeKind;

constexpr size_t kMaxShown = 60;
constexpr int64_t kDataDepth = 2;  // brackets around a field's value

std::string Shown(std::string_view text) {
  return text.size() <= kMaxShown ? Quoted(text) : Quoted(text.substr(0, kMaxShown)) + "...";
}

// RapidJSON takes a low surrogate without its high one; such text has no meaning.
bool HasLoneSurrogate(std::string_view token) {
  for (size_t i = 0; i + 5 < token.size(); ++i) {
    if (token[i] != '\\') continue;
    const bool unicode = token[i + 1] == 'u' && (token[i + 2] | 32) == 'd';
    const char third = static_cast<char>(token[i + 3] | 32);
    if (unicode && third >= 'c' && third <= 'f') return true;
    // A high surrogate is followed by its low one, or RapidJSON would have refused it.
    i += unicode && (third == 'a' || third == 'b' || third == '8' || third == '9') ? 11 : 1;
  }
  return false;
}

}  // namespace

void JsonNodeParser::Reset(size_t index, size_t offset) {
  index_ = index;
  offset_ = offset;
  state_ = State::kMember;
  skip_ = has_type_ = has_data_ = scalar_ = false;
  depth_ = 1;
  type_ = nullptr;
  value_.reset();
  items_.clear();
  defaults_.clear();
  field_ = -1;
  next_field_ = 0;
  custom_.clear();
  custom_comma_ = custom_object_ = false;
  missing_.clear();
}

void JsonNodeParser::Begin(size_t index, size_t offset) {
  Reset(index, offset);
  strict_ = false;
}

void JsonNodeParser::BeginAgain(size_t index, size_t offset, std::string_view type) {
  Reset(index, offset);
  strict_ = true;
  SetType(type, offset);
}

void JsonNodeParser::ThrowNode(size_t at, const std::string& what, Unreadable why) {
  std::string where = "node " + std::to_string(index_);
  if (type_ != nullptr)
    where += " (" + type_->key.substr(0, kMaxShown) + (type_->key.size() > kMaxShown ? "..." : "") + ")";
  ThrowAt(source_, at, where + ": " + what, why);
}

std::string JsonNodeParser::Found(const Token& token) {
  switch (token.kind) {
    case Token::kNull:
      return "null";
    case Token::kBool:
      return token.i != 0 ? "true" : "false";
    case Token::kInt:
      return "the integer " + std::to_string(token.i);
    case Token::kFloat: {
      std::string text = "the float ";
      schema::AppendJsonFloat(token.f, &text);
      return text;
    }
    case Token::kString:
      return "the string " + Shown(token.text);
    case Token::kOpen:
      return token.i != 0 ? "an object" : "an array";
  }
  return "";
}

std::string JsonNodeParser::VersionHint() const {
  if (!factory_.schema()) return "";
  return ". Is " + factory_.schema_text() + " that of the version that wrote the file" + factory_.MetadataText() + "?";
}

std::string JsonNodeParser::FieldText() const {
  const schema::FieldDescriptor& field = type_->descriptor->fields[static_cast<size_t>(field_)];
  return "field " + Quoted(field.name) + " of type " + field.type_text;
}

// ---- Events ---------------------------------------------------------------------------------------------------------

void JsonNodeParser::OnNumber(size_t at) {
  const SaxNumber n = SaxNumber::Read(text_.data() + at);
  if (n.kind == SaxNumber::kBadWord) {
    ThrowAt(source_, at,
            "malformed JSON: expected a value; the only words for numbers are NaN, Infinity and -Infinity");
  }
  if (n.kind == SaxNumber::kOutOfRange) {
    if (state_ != State::kSkip) {
      Fail(at, [&] { return OutOfRange(text_.data() + at); });
    }
    return;
  }
  OnScalar(n.kind == SaxNumber::kInt ? Token::Int(at, n.i) : Token::Float(at, n.f));
}

void JsonNodeParser::OnString(size_t at, std::string_view text) {
  if (text.find("\xED") != std::string_view::npos && state_ != State::kSkip) {
    const size_t end = SkipValue(text_, at, source_);
    if (HasLoneSurrogate(text_.substr(at, end - at))) {
      ThrowAt(source_, at, "malformed JSON: a string with half of a surrogate pair");
    }
  }
  OnScalar(Token::String(at, text));
}

void JsonNodeParser::OnScalar(const Token& token) {
  switch (state_) {
    case State::kType:
      return OnType(token);
    case State::kData:
      return OnData(token);
    case State::kField:
      return OnField(token);
    case State::kItems:
      return OnItem(token);
    case State::kCustom:
      return CustomScalar(token);
    case State::kEscaped: {
      std::string bytes;
      if (token.kind != Token::kString || DecodeBase64(token.text, &bytes) != nullptr) {
        return Fail(token.at, [&] { return "expected the base64 text of a string, found " + Found(token); });
      }
      value_ = String(bytes);
      scalar_ = true;
      state_ = State::kEscape;
      return;
    }
    case State::kDrop:
      if (depth_ == kDataDepth) state_ = State::kFields;
      return;
    default:
      return;  // kSkip
  }
}

void JsonNodeParser::OnKey(size_t at, std::string_view key) {
  switch (state_) {
    case State::kMember:
      if (key == "type") {
        if (has_type_) return Fail(at, [] { return std::string("the member \"type\" is there twice"); });
        state_ = State::kType;
        has_type_ = true;
      } else if (key == "data") {
        if (has_data_) return Fail(at, [] { return std::string("the member \"data\" is there twice"); });
        has_data_ = true;
        state_ = State::kData;
        if (type_ == nullptr) Fail(at, [] { return std::string("data before type"); });  // read again later
      } else {
        Fail(at, [&] { return "an unknown member " + Shown(key) + "; a node has \"type\" and \"data\""; });
      }
      return;
    case State::kFields: {
      const schema::TypeDescriptor& descriptor = *type_->descriptor;
      field_ = descriptor.FindField(key, next_field_);
      if (field_ < 0 && drop_unknown_fields_) {
        state_ = State::kDrop;
        dropped_fields_.insert(type_->key + "." + std::string(key.substr(0, kMaxShown)));
        return;
      }
      if (field_ < 0) {
        return Fail(at, [&] {
          std::string known;
          for (const auto& f : descriptor.fields) known += (known.empty() ? "" : ", ") + f.name;
          return "the type has no field " + Shown(key) + "; it has " + (known.empty() ? "none" : known) + VersionHint();
        });
      }
      if (seen_[static_cast<size_t>(field_)] != 0) {
        return Fail(at, [&] { return "the field " + Shown(key) + " is there twice"; });
      }
      next_field_ = static_cast<uint32_t>(field_) + 1;
      state_ = State::kField;
      return;
    }
    case State::kCustom:
      if (custom_comma_) custom_ += ',';
      schema::AppendJsonString(key, &custom_);
      custom_ += ':';
      custom_comma_ = false;
      return;
    case State::kEscape:
      if (key != "base64" || scalar_) {
        return Fail(at, [&] { return "an unknown member " + Shown(key) + "; an escaped string has \"base64\" only"; });
      }
      state_ = State::kEscaped;
      return;
    default:
      return;
  }
}

void JsonNodeParser::OnOpen(size_t at, bool is_object) {
  ++depth_;
  Token token{Token::kOpen, at, is_object};
  switch (state_) {
    case State::kData:
      return BeginData(at, is_object);
    case State::kCustom:
      if (custom_comma_) custom_ += ',';
      custom_ += is_object ? '{' : '[';
      custom_comma_ = false;
      custom_object_ |= is_object;
      return;
    case State::kDrop:
    case State::kSkip:
      return;
    default:
      return OnScalar(token);
  }
}

void JsonNodeParser::OnClose(size_t, bool is_object) {
  --depth_;
  if (depth_ == 0) return Finish();
  switch (state_) {
    case State::kCustom:
      custom_ += is_object ? '}' : ']';
      custom_comma_ = true;
      if (depth_ == 1) state_ = State::kMember;
      return;
    case State::kDrop:
      if (depth_ == kDataDepth) state_ = State::kFields;
      return;
    case State::kItems:
    case State::kFields:
    case State::kEscape:
      state_ = State::kMember;
      return;
    default:
      return;
  }
}

// ---- Type and data --------------------------------------------------------------------------------------------------

void JsonNodeParser::OnType(const Token& token) {
  state_ = State::kMember;
  if (token.kind != Token::kString) {
    return Fail(token.at, [&] { return "\"type\" must be a type key, found " + Found(token); });
  }
  if (type_ == nullptr) SetType(token.text, token.at);
}

void JsonNodeParser::SetType(std::string_view key, size_t at) {
  const NodeType& type = factory_.TypeOf(key);
  if (type.form == NodeForm::kUnknown) {
    return Fail(
        at, [&] { return factory_.UnknownText(key); }, Unreadable::kNoSchema);
  }
  type_ = &type;
  if (type.form == NodeForm::kFields) {
    fields_.assign(type.descriptor->fields.size(), graph::NoneValue());
    seen_.assign(type.descriptor->fields.size(), 0);
  }
}

void JsonNodeParser::BeginData(size_t at, bool is_object) {
  const NodeForm form = type_->form;
  if (form == NodeForm::kCustom) {
    state_ = State::kCustom;
    custom_ += is_object ? '{' : '[';
    custom_object_ = is_object;
    return;
  }
  if (is_object && form == NodeForm::kFields) {
    state_ = State::kFields;
    return;
  }
  if (is_object && form == NodeForm::kString) {
    state_ = State::kEscape;
    return;
  }
  const bool list = form == NodeForm::kArray || form == NodeForm::kList || form == NodeForm::kMap ||
                    form == NodeForm::kDict || form == NodeForm::kShape || form == NodeForm::kDevice ||
                    form == NodeForm::kReference;
  if (!is_object && list) {
    state_ = State::kItems;
    return;
  }
  OnData(Token{Token::kOpen, at, is_object});
}

void JsonNodeParser::OnData(const Token& token) {
  state_ = State::kMember;
  if (type_->form == NodeForm::kCustom) return CustomScalar(token);
  scalar_ = ScalarData(token);
  if (scalar_ || skip_) return;
  if (type_->form == NodeForm::kNone) return Fail(token.at, [] { return std::string("a None node has no data"); });
  Fail(token.at, [&] {
    const char* expected = "";
    switch (type_->form) {
      case NodeForm::kBool:
        expected = "true or false";
        break;
      case NodeForm::kInt:
        expected = "an integer";
        break;
      case NodeForm::kFloat:
        expected = "a number";
        break;
      case NodeForm::kFields:
        expected = "an object of fields";
        break;
      case NodeForm::kBigInt:
        expected = "the decimal digits of an integer beyond 64 bits";
        break;
      case NodeForm::kString:
        expected = "a string";
        break;
      case NodeForm::kDataType:
        expected = "the text of a data type, such as \"float32\"";
        break;
      case NodeForm::kBytes:
      case NodeForm::kTensor:
        expected = "base64 text";
        break;
      case NodeForm::kShape:
      case NodeForm::kDevice:
        expected = "an array of integers";
        break;
      default:
        expected = "an array of node indices";
        break;
    }
    return std::string("the data must be ") + expected + ", found " + Found(token);
  });
}

bool JsonNodeParser::ScalarData(const Token& token) {
  switch (type_->form) {
    case NodeForm::kBool:
      value_ = Any(token.i != 0);
      return token.kind == Token::kBool;
    case NodeForm::kInt:
      value_ = Any(token.i);
      return token.kind == Token::kInt;
    case NodeForm::kFloat: {
      TVMFFIAny v = graph::NoneValue();
      schema::FieldDescriptor any_float;
      any_float.type.kind = TypeKind::kFloat;
      if (!InlineValue(token, any_float, &v)) return false;
      value_ = Any::FromOwned(v);
      return true;
    }
    default:
      return token.kind == Token::kString && TextData(token);
  }
}

bool JsonNodeParser::TextData(const Token& token) {
  switch (type_->form) {
    case NodeForm::kString:
      value_ = String(token.text);
      return true;
    case NodeForm::kDataType: {
      TVMFFIAny v = graph::NoneValue();
      schema::FieldDescriptor dtype;
      dtype.type.kind = TypeKind::kDataType;
      if (!InlineValue(token, dtype, &v)) return false;
      value_ = Any::FromOwned(v);
      return true;
    }
    case NodeForm::kBytes:
    case NodeForm::kTensor: {
      std::string bytes;
      if (const char* wrong = DecodeBase64(token.text, &bytes)) {
        Fail(token.at, [&] { return std::string("the data must be base64 text, found ") + wrong; });
        return false;
      }
      if (type_->form == NodeForm::kBytes) {
        value_ = Bytes(bytes);
        return true;
      }
      const std::string wrong = ReadTensorStream(bytes, &value_);
      if (!wrong.empty()) Fail(token.at, [&] { return "damaged tensor: " + wrong; });
      return wrong.empty();
    }
    case NodeForm::kBigInt:
      return BigIntData(token);
    default:
      return false;
  }
}

bool JsonNodeParser::BigIntData(const Token& token) {
  std::optional<Any> value = BigInt::TryFromDecimal(token.text);
  if (!value) {
    Fail(token.at, [&] {
      return "the data must be an integer in decimal digits (no leading zeros, at most " +
             std::to_string(BigInt::kMaxDecimalDigits) + " digits), found " + Found(token);
    });
    return false;
  }
  value_ = *std::move(value);
  if (value_.type_index() == kTVMFFIBigInt) return true;
  Fail(token.at,
       [&] { return "the integer " + Shown(token.text) + " fits into 64 bits, so it must be an `int` node"; });
  return false;
}

void JsonNodeParser::CustomScalar(const Token& token) {
  if (custom_comma_) custom_ += ',';
  custom_comma_ = true;
  switch (token.kind) {
    case Token::kNull:
      custom_ += "null";
      return;
    case Token::kBool:
      custom_ += token.i != 0 ? "true" : "false";
      return;
    case Token::kInt:
      return schema::AppendJsonInt(token.i, &custom_);
    case Token::kFloat:
      return schema::AppendJsonFloat(token.f, &custom_);
    default:
      return schema::AppendJsonString(token.text, &custom_);
  }
}

// ---- Fields and items -----------------------------------------------------------------------------------------------

void JsonNodeParser::OnField(const Token& token) {
  state_ = State::kFields;
  const schema::FieldDescriptor& field = type_->descriptor->fields[static_cast<size_t>(field_)];
  if (field.type.IsInline()) {
    InlineField(token, field);
  } else {
    Reference(token, field);
  }
}

void JsonNodeParser::InlineField(const Token& token, const schema::FieldDescriptor& field) {
  TVMFFIAny value = graph::NoneValue();
  if (!InlineValue(token, field, &value)) {
    return Fail(token.at, [&] { return FieldText() + " holds " + Found(token); });
  }
  fields_[static_cast<size_t>(field_)] = value;
  seen_[static_cast<size_t>(field_)] = 1;
}

bool JsonNodeParser::InlineValue(const Token& token, const schema::FieldDescriptor& field, TVMFFIAny* value) {
  switch (field.type.kind) {
    case TypeKind::kNone:
      return token.kind == Token::kNull;
    case TypeKind::kBool:
      value->type_index = kTVMFFIBool;
      value->v_int64 = token.i;
      return token.kind == Token::kBool;
    case TypeKind::kInt:
      value->type_index = kTVMFFIInt;
      value->v_int64 = token.i;
      return token.kind == Token::kInt;
    case TypeKind::kFloat:
      value->type_index = kTVMFFIFloat;
      value->v_float64 = token.kind == Token::kInt ? static_cast<double>(token.i) : token.f;
      if (token.kind != Token::kString) return token.kind == Token::kInt || token.kind == Token::kFloat;
      // The strict spelling of numbers that JSON lacks.
      value->v_float64 = token.text == "NaN" ? std::nan("") : token.text == "Infinity" ? HUGE_VAL : -HUGE_VAL;
      return token.text == "NaN" || token.text == "Infinity" || token.text == "-Infinity";
    default: {
      if (token.kind != Token::kString) return false;
      const TVMFFIByteArray text{token.text.data(), token.text.size()};
      value->type_index = kTVMFFIDataType;
      if (TVMFFIDataTypeFromString(&text, &value->v_dtype) == 0) return true;
      TVMFFIObjectHandle error = nullptr;
      TVMFFIErrorMoveFromRaised(&error);
      TVMFFIObjectDecRef(error);
      return false;
    }
  }
}

// Whether node `i` has its value or, in the second reading, can get it first.
bool JsonNodeParser::Available(int64_t i) {
  if (edges_ != nullptr && i >= 0) edges_->emplace_back(static_cast<int64_t>(index_), i);
  if (nodes_.Built(i)) return true;
  if (!strict_ || i < 0 || static_cast<size_t>(i) >= nodes_.size()) return false;
  missing_.push_back(i);
  return true;
}

void JsonNodeParser::Reference(const Token& token, const schema::FieldDescriptor& field) {
  if (token.kind != Token::kInt) {
    return Fail(token.at, [&] { return FieldText() + " must hold the index of a node, found " + Found(token); });
  }
  if (!Available(token.i)) {
    return Fail(token.at, [&] {
      return FieldText() + " refers to node " + std::to_string(token.i) + " of " + std::to_string(nodes_.size());
    });
  }
  seen_[static_cast<size_t>(field_)] = 1;
  if (!nodes_.Built(token.i)) return;
  const TVMFFIAny& value = nodes_[static_cast<size_t>(token.i)].value;
  if (!factory_.check().Fits(field.type, value)) {
    return Fail(token.at, [&] {
      return FieldText() + " holds node " + std::to_string(token.i) + ", which is " +
             factory_.check().Describe(field.type, value);
    });
  }
  fields_[static_cast<size_t>(field_)] = value;
}

void JsonNodeParser::OnItem(const Token& token) {
  if (token.kind != Token::kInt) {
    return Fail(token.at, [&] {
      return "element " + std::to_string(items_.size()) + " of the data must be an integer, found " + Found(token);
    });
  }
  const bool reference = type_->form != NodeForm::kShape && type_->form != NodeForm::kDevice;
  if (reference && !Available(token.i)) {
    return Fail(token.at, [&] {
      return "element " + std::to_string(items_.size()) + " of the data refers to node " + std::to_string(token.i) +
             " of " + std::to_string(nodes_.size());
    });
  }
  items_.push_back(token.i);
}

}  // namespace transom::formats
